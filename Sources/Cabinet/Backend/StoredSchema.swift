/// The record types of a database and their fields.
public struct StoredSchema: Sendable, Hashable {
    /// The fields of each record type, by name.
    public var recordTypes: [Record.RecordType: [Record.FieldKey: FieldType]]

    /// Creates a schema.
    public init(recordTypes: [Record.RecordType: [Record.FieldKey: FieldType]] = [:]) {
        self.recordTypes = recordTypes
    }
}

/// A field of a record type: its name and its type.
public struct StoredField: Sendable, Hashable {
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
