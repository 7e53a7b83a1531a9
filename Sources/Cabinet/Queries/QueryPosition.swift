/// A position in the order of a query's records: the sort keys of the record before it, and that record's insertion
/// number.
public struct QueryPosition: Sendable, Hashable, Codable {
    /// The values of the plan's sort keys, in their order, or `nil` for a key without a value.
    public var values: [FieldValue?]

    /// The record's insertion number, which decides between records whose sort keys are equal.
    public var insertionNumber: Int64

    /// Creates a position.
    public init(values: [FieldValue?], insertionNumber: Int64) {
        self.values = values
        self.insertionNumber = insertionNumber
    }
}
