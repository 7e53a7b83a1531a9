/// The number of records that have a value in a field.
public struct ValueCount: Sendable, Hashable {
    /// The value, or `nil` for the records that have none.
    public let value: FieldValue?

    /// The number of records.
    public let count: Int

    /// Creates a count.
    public init(value: FieldValue?, count: Int) {
        self.value = value
        self.count = count
    }
}
