/// The record types of a container: their fields, and the indexes that serve queries.
///
/// In a program's first versions nobody needs a schema: what is saved adds its types and fields. A schema says more: which fields
/// have indexes, and which text is searched for words.
///
/// ```swift
/// var schema = try await container.schema()
/// schema["Items"]["name"] = Schema.Field(.string, [.queryable, .sortable])
/// schema["Items"].indexes = [["list", "name"]]
/// try await container.apply(schema)
/// ```
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
    public struct RecordType: Sendable, Hashable, Codable {
        /// The fields by name.
        public var fields: [Record.FieldKey: Field]

        /// Indexes on several fields each: records are found by the values of the first fields, and sorted by those that follow.
        ///
        /// `["list", "name"]` serves `list == %@` sorted by `name`.
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

    /// The type of a field's values, and what the field can be used for without looking at every record.
    public struct Field: Sendable, Hashable, Codable {
        /// The type of the field's values.
        public var type: FieldType

        /// What the field can be used for without looking at every record.
        public var options: Options

        /// Creates a field.
        public init(_ type: FieldType, _ options: Options = []) {
            self.type = type
            self.options = options
        }

        /// What a field can be used for without looking at every record.
        public struct Options: OptionSet, Sendable, Hashable, Codable {
            /// The options as bits.
            public let rawValue: Int

            /// Creates options from bits.
            public init(rawValue: Int) {
                self.rawValue = rawValue
            }

            /// Records are found by the field's value: `QUERYABLE`.
            public static let queryable = Options(rawValue: 1)

            /// Records are sorted by the field: `SORTABLE`.
            public static let sortable = Options(rawValue: 2)

            /// Records are found by the words of the field's text: `SEARCHABLE`.
            ///
            /// A search for words looks into the searchable fields of a record type; if it has none, into all its text fields.
            public static let searchable = Options(rawValue: 4)
        }
    }
}
