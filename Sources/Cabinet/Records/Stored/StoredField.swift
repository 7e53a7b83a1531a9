/// A field of a record type: its name and its type.
public struct StoredField: Sendable, Hashable, Codable {
    /// The field's name.
    public let name: Record.FieldKey

    /// The type of the field's values.
    public let type: FieldType

    /// Creates a field.
    public init(name: Record.FieldKey, type: FieldType) {
        self.name = name
        self.type = type
    }
}
