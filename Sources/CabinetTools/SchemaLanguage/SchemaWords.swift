import Cabinet

/// The words of the schema language that have a meaning, and the names that it reserves.
enum SchemaWords {
    /// The words that an unquoted name cannot be, in lowercase.
    static let reserved: Set<String> = ["grant", "preferred", "queryable", "searchable", "sortable"]

    static let options: [(word: String, option: Schema.Field.Options)] = [
        ("QUERYABLE", .queryable), ("SORTABLE", .sortable), ("SEARCHABLE", .searchable),
    ]

    /// The words of the delete rules, which are Cabinet's addition.
    static let deleteRules: [(word: String, action: Reference.Action)] = [
        ("NONE", .none), ("DELETE_SELF", .deleteSelf), ("NULLIFY", .nullify), ("DENY", .deny),
    ]

    /// The roles that exist without `CREATE ROLE`.
    static let systemRoles = Schema.systemRoles

    /// A field that every record has.
    struct SystemName {
        let name: String
        let type: FieldType
        /// Cabinet's field, which filters use; `nil` if Cabinet has none.
        let field: SystemField?
        var isAddition = false
    }

    static let systemNames = [
        SystemName(name: "___createTime", type: .timestamp, field: .creationDate),
        SystemName(name: "___createdBy", type: .reference, field: .creatorUserRecordID),
        SystemName(name: "___etag", type: .string, field: nil),
        SystemName(name: "___modTime", type: .timestamp, field: .modificationDate),
        SystemName(name: "___modifiedBy", type: .reference, field: .lastModifiedUserRecordID),
        SystemName(name: "___parent", type: .reference, field: .parent, isAddition: true),
        SystemName(name: "___recordID", type: .reference, field: .recordID),
    ]

    static let systemFieldNames = Set(systemNames.map(\.name))

    static func systemName(_ name: String) -> SystemName? {
        systemNames.first { $0.name == name }
    }

    /// Returns the key that filters and schemas use for a field of a document; `nil` if Cabinet has none.
    static func key(of name: String) -> Record.FieldKey? {
        guard let system = systemName(name) else { return name }
        return system.field?.rawValue
    }

    /// Returns the name that a field has in a document.
    static func name(of key: Record.FieldKey) -> String {
        systemNames.first { $0.field?.rawValue == key }?.name ?? key
    }

    /// Returns a name as it is written: in double quotes if the language reserves it, or if it is a path into JSON.
    static func written(_ name: String) -> String {
        name.hasPrefix("_") || name.contains(".") || reserved.contains(name.lowercased()) ? "\"\(name)\"" : name
    }
}
