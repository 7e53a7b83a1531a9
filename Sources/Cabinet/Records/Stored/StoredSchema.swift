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

/// An index of a schema, which lets some queries read fewer records.
///
/// A field is one of the record type or a ``SystemField``; ``StoredRecord/value(forKey:)`` returns the values of both.
///
/// An index changes no results. The exception is ``searchable(_:)``: a search for words reads the searchable fields or,
/// if a record type has none, all its text fields.
public enum StoredIndex: Sendable, Hashable, Codable {
    /// Records are found by the value of a field.
    case queryable(Record.FieldKey)

    /// Records are sorted by a field.
    case sortable(Record.FieldKey)

    /// Records are found by the words of a text field.
    case searchable(Record.FieldKey)

    /// Records are found by the values of the first fields, and sorted by those that follow.
    case compound([Record.FieldKey])
}
