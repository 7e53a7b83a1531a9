/// The record types of a container: their fields, and the indexes that serve queries.
///
/// A new program needs no schema: saving a record adds its type and fields. A schema defines more: the fields that have indexes,
/// and the text that is searched for words.
///
/// ```swift
/// var schema = try await container.schema()
/// schema["Items"]["name"] = Schema.Field(.string, [.queryable, .sortable])
/// schema["Items"]["list"] = Schema.Field(.reference)
/// schema["Items"].indexes = [["list", "name"]]
/// try await container.apply(schema)
/// ```
///
/// An index changes only the speed of a query, not its result; ``Field/Options/searchable`` alone also selects the fields that
/// are searched for words. Users' own records cannot be queried: `Users` has fields in a schema, and no indexes.
///
/// A container can also be limited to the types and fields of a schema, see ``SchemaMode/strict(_:)``.
public struct Schema: Sendable, Hashable, Codable {
    /// The record types by name.
    public var recordTypes: [Record.RecordType: RecordType]

    /// Creates a schema.
    ///
    /// - Parameter recordTypes: The record types by name; by default none.
    public init(recordTypes: [Record.RecordType: RecordType] = [:]) {
        self.recordTypes = recordTypes
    }

    /// Accesses a record type; an empty one if the schema has none with the name.
    ///
    /// - Parameter name: The name of the record type.
    public subscript(name: Record.RecordType) -> RecordType {
        get { recordTypes[name] ?? RecordType() }
        set { recordTypes[name] = newValue }
    }
}

extension Schema {
    /// The fields of a record type, and its compound indexes.
    public struct RecordType: Sendable, Hashable {
        /// The fields by name.
        ///
        /// They include system fields that have options, under the names that filters use: `"modificationDate":
        /// Schema.Field(.timestamp, .sortable)`.
        public var fields: [Record.FieldKey: Field]

        /// The compound indexes, which find records by the values of their first fields and sort them by the following ones.
        ///
        /// `["list", "name"]` serves `list == %@` sorted by `name`. An index can contain system fields. It has two to eight
        /// fields, none of them a list, a location or an asset.
        public var indexes: Set<[Record.FieldKey]>

        /// Creates a record type.
        ///
        /// - Parameters:
        ///   - fields: The fields by name; by default none.
        ///   - indexes: The compound indexes; by default none.
        public init(fields: [Record.FieldKey: Field] = [:], indexes: Set<[Record.FieldKey]> = []) {
            self.fields = fields
            self.indexes = indexes
        }

        /// Accesses a field; `nil` if the type has none with the name.
        ///
        /// - Parameter key: The name of the field.
        public subscript(key: Record.FieldKey) -> Field? {
            get { fields[key] }
            set { fields[key] = newValue }
        }
    }
}
