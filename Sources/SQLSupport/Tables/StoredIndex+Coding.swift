package import Cabinet

/// Encodes an index for a table of the schema: its kind as one word, and its fields.
extension StoredIndex {
    private static let compoundKind = "INDEX"

    /// The kind of the index in the schema language.
    package var kind: String {
        switch self {
        case .queryable: "QUERYABLE"
        case .sortable: "SORTABLE"
        case .searchable: "SEARCHABLE"
        case .compound: Self.compoundKind
        }
    }

    /// The names of the fields, in their order.
    package var fields: [Record.FieldKey] {
        switch self {
        case .queryable(let key), .sortable(let key), .searchable(let key): [key]
        case .compound(let keys): keys
        }
    }

    /// Decodes an index.
    ///
    /// - Returns: `nil` if the kind is unknown, or the number of fields is wrong.
    package init?(kind: String, fields: [Record.FieldKey]) {
        switch (kind, fields.count) {
        case (Self.compoundKind, _): self = .compound(fields)
        case ("QUERYABLE", 1): self = .queryable(fields[0])
        case ("SORTABLE", 1): self = .sortable(fields[0])
        case ("SEARCHABLE", 1): self = .searchable(fields[0])
        default: return nil
        }
    }
}
