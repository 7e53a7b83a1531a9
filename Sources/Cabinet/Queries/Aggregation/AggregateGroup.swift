/// An aggregate of the records that share a value of a field.
public struct AggregateGroup: Sendable, Hashable {
    /// The value that the records share; `nil` for the records without one.
    public var value: FieldValue?

    /// The aggregate, or the number of records.
    public var result: FieldValue?
}
