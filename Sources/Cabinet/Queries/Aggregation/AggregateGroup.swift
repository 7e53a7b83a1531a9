/// An aggregate of the records that have one value in a field.
struct AggregateGroup: Sendable {
    /// The value, or `nil` for the records that have none.
    let value: FieldValue?

    /// The aggregate.
    let result: FieldValue?
}
