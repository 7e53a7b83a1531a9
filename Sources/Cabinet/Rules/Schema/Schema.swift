/// The record types of a container: their fields, and the indexes that serve queries.
///
/// In a program's first versions nobody needs a schema: what is saved adds its types and fields. A schema says more: which fields
/// have indexes, and which text is searched for words.
///
/// ```swift
/// var schema = try await container.schema()
/// schema["Items"]["name"] = Schema.Field(.string, [.queryable, .sortable])
/// schema["Items"]["list"] = Schema.Field(.reference)
/// schema["Items"].indexes = [["list", "name"]]
/// try await container.apply(schema)
/// ```
///
/// An index changes no answer, only how long it takes; ``Field/Options/searchable`` alone also says where words are looked
/// for. Users' own records cannot be queried: `Users` has fields in a schema, and no indexes.
///
/// A container can also be limited to the types and fields of a schema, see ``SchemaMode/strict(_:)``.
public struct Schema: Sendable, Hashable, Codable {
    /// The record types by name.
    public var recordTypes: [Record.RecordType: RecordType]

    /// Creates a schema.
    public init(recordTypes: [Record.RecordType: RecordType] = [:]) {
        self.recordTypes = recordTypes
    }

    /// A record type; an empty one if there is none of the name.
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
        /// System fields stand among them, under the names that filters use, where they have options:
        /// `"modificationDate": Schema.Field(.timestamp, .sortable)`.
        public var fields: [Record.FieldKey: Field]

        /// Indexes on several fields each: records are found by the values of the first fields, and sorted by those that follow.
        ///
        /// `["list", "name"]` serves `list == %@` sorted by `name`. System fields may be among them. An index has two to eight
        /// fields, none of them a list, a location or an asset.
        public var indexes: Set<[Record.FieldKey]>

        /// Creates a record type.
        public init(fields: [Record.FieldKey: Field] = [:], indexes: Set<[Record.FieldKey]> = []) {
            self.fields = fields
            self.indexes = indexes
        }

        /// A field; `nil` if there is none of the name.
        public subscript(key: Record.FieldKey) -> Field? {
            get { fields[key] }
            set { fields[key] = newValue }
        }
    }
}
