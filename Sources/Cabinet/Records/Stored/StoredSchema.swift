/// The record types of a database, their fields, and the indexes that were asked for.
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
