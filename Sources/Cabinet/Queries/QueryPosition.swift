/// A place in the order of a query's records: the sort keys of the record before it, and that record's ID.
public struct QueryPosition: Sendable, Hashable, Codable {
    /// The values of the plan's sort keys, in their order; `nil` where the record has none.
    public var values: [FieldValue?]

    /// The record's ID, which decides between records whose sort keys are equal.
    public var recordID: RecordID

    /// Creates a position.
    public init(values: [FieldValue?], recordID: RecordID) {
        self.values = values
        self.recordID = recordID
    }
}
