extension Schema: CustomStringConvertible {
    /// A description of the schema in the schema language, one field per line.
    ///
    /// ```text
    /// RECORD TYPE Items (
    ///     list REFERENCE,
    ///     name STRING QUERYABLE SORTABLE,
    ///     INDEX (list, name)
    /// )
    /// ```
    public var description: String {
        let types = recordTypes.sorted { $0.key < $1.key }.map { "RECORD TYPE \($0.key) \($0.value)" }
        return (roles.sorted().map { "CREATE ROLE \($0)" } + types).joined(separator: "\n")
    }
}

extension Schema.RecordType: CustomStringConvertible {
    /// The fields by name, then the indexes, the unique values and the grants, in parentheses.
    public var description: String {
        let lines =
            fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            + sortedIndexes.map { "INDEX (\($0.joined(separator: ", ")))" }
            + uniqueKeys.sortedByNames.map { "UNIQUE (\($0.joined(separator: ", ")))" }
            + grants.sorted { $0.key < $1.key }.map { role, permissions in
                "GRANT \(permissions.sorted.map(\.rawValue).joined(separator: ", ")) TO \(role)"
            }
        return lines.isEmpty ? "()" : "(\n" + lines.map { "    " + $0 }.joined(separator: ",\n") + "\n)"
    }

    /// The compound indexes in the order of their fields' names.
    var sortedIndexes: [[Record.FieldKey]] {
        indexes.sortedByNames
    }
}

extension Set<[Record.FieldKey]> {
    /// The lists in the order of their fields' names.
    var sortedByNames: [[Record.FieldKey]] { sorted { $0.lexicographicallyPrecedes($1) } }
}

extension Set<Schema.Permission> {
    /// The permissions in the order in which they are written.
    var sorted: [Schema.Permission] { Schema.Permission.allCases.filter(contains) }
}

extension Schema.Field: CustomStringConvertible {
    /// The type, the options and the delete rule: `STRING QUERYABLE SORTABLE`, `REFERENCE ON DELETE DENY`.
    public var description: String {
        let rule = deleteRule.map { ["ON DELETE \($0.word)"] } ?? []
        return ([type.description] + options.words + rule).joined(separator: " ")
    }
}

extension Schema.Field.Options: CustomStringConvertible {
    /// The options as words: `QUERYABLE SORTABLE`; empty if none is set.
    public var description: String { words.joined(separator: " ") }
}
