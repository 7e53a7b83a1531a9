import Cabinet
import Foundation

/// An index as `cabinet_index` has it: its kind in one word, and its fields as JSON.
extension StoredIndex {
    private static let compoundKind = "INDEX"

    /// The kind of the index, as the schema language calls it.
    var kind: String {
        switch self {
        case .queryable: "QUERYABLE"
        case .sortable: "SORTABLE"
        case .searchable: "SEARCHABLE"
        case .compound: Self.compoundKind
        }
    }

    /// The names of the fields, in their order.
    var fields: [Record.FieldKey] {
        switch self {
        case .queryable(let key), .sortable(let key), .searchable(let key): [key]
        case .compound(let keys): keys
        }
    }

    /// - Returns: `nil` if there is no such kind, or if the fields are not those of an index.
    init?(kind: String?, fields: String?) {
        guard let data = fields?.data(using: .utf8), let keys = try? JSONDecoder().decode([String].self, from: data)
        else { return nil }
        if kind == Self.compoundKind {
            self = .compound(keys)
            return
        }
        guard keys.count == 1 else { return nil }
        switch kind {
        case "QUERYABLE": self = .queryable(keys[0])
        case "SORTABLE": self = .sortable(keys[0])
        case "SEARCHABLE": self = .searchable(keys[0])
        default: return nil
        }
    }
}
