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
public struct Schema: Sendable, Hashable {
    /// The record types by name.
    public var recordTypes: [Record.RecordType: RecordType]

    /// The roles that ``RecordType/grants`` can name, in addition to `_world`, `_icloud` and `_creator`.
    ///
    /// ``Account/roles`` says which of them a user has.
    public var roles: Set<String>

    /// Creates a schema.
    ///
    /// - Parameter recordTypes: The record types by name; by default none.
    public init(recordTypes: [Record.RecordType: RecordType] = [:]) {
        self.init(recordTypes: recordTypes, roles: [])
    }

    /// Creates a schema with roles.
    ///
    /// - Parameters:
    ///   - recordTypes: The record types by name.
    ///   - roles: The roles that grants can name, in addition to the three that always exist.
    public init(recordTypes: [Record.RecordType: RecordType], roles: Set<String>) {
        self.recordTypes = recordTypes
        self.roles = roles
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
        ///
        /// A path into the JSON of a text can stand for a field, also alone: `["address.@string.city"]`. The indexes of a record type can
        /// name 16 such paths. <doc:QueryCosts> has an example.
        public var indexes: Set<[Record.FieldKey]>

        /// The lists of fields whose values no two records of a database share.
        ///
        /// `[["email"], ["list", "name"]]` gives each email address to one record, and each name to one record of a list. A record in
        /// which one of the fields is nil shares no values. The fields can include `parent` and `creatorUserRecordID`. Each list has
        /// an index of its own. <doc:RolesAndUniqueValues> has examples.
        public var uniqueKeys: Set<[Record.FieldKey]>

        /// The permissions that each role has in the public database.
        ///
        /// A record type without grants has those of ``Schema/defaultGrants(of:)``. If a schema that is applied has no grants
        /// for a type, those of the database stay; a deployment replaces them.
        public var grants: [String: Set<Permission>]

        /// Creates a record type.
        ///
        /// - Parameters:
        ///   - fields: The fields by name; by default none.
        ///   - indexes: The compound indexes; by default none.
        ///   - uniqueKeys: The lists of fields whose values no two records share; by default none.
        ///   - grants: The permissions of roles in the public database; by default those of CloudKit.
        public init(
            fields: [Record.FieldKey: Field] = [:], indexes: Set<[Record.FieldKey]> = [],
            uniqueKeys: Set<[Record.FieldKey]> = [], grants: [String: Set<Permission>] = [:]
        ) {
            self.fields = fields
            self.indexes = indexes
            self.uniqueKeys = uniqueKeys
            self.grants = grants
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
