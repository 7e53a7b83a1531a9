/// The record types of a database, their fields, and the indexes that its schema requests.
public struct StoredSchema: Sendable, Hashable, Codable {
    /// The fields of each record type, by name.
    public var recordTypes: [Record.RecordType: [Record.FieldKey: FieldType]]

    /// The indexes of each record type that has some.
    public var indexes: [Record.RecordType: Set<StoredIndex>]

    /// Creates a schema.
    public init(
        recordTypes: [Record.RecordType: [Record.FieldKey: FieldType]] = [:],
        indexes: [Record.RecordType: Set<StoredIndex>] = [:]
    ) {
        self.recordTypes = recordTypes
        self.indexes = indexes
    }
}

extension StoredSchema {
    /// The schema with more fields.
    func adding(_ additions: [(recordType: Record.RecordType, fields: [StoredField])]) -> StoredSchema {
        var schema = self
        for (recordType, fields) in additions {
            var types = schema.recordTypes[recordType] ?? [:]
            for field in fields { types[field.name] = field.type }
            schema.recordTypes[recordType] = types
        }
        return schema
    }
}
