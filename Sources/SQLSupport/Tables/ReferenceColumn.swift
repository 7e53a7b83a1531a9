package import Cabinet

/// A column of references, found by their targets.
package struct ReferenceColumn<Table: SQLTable> {
    package let table: Table
    /// The field, or `nil` for the parent.
    private let column: SQLColumn?

    /// The columns of a table, with that of the parent.
    package static func all(of table: Table) -> [ReferenceColumn] {
        let columns = table.columns.filter { $0.type == .reference }
        return columns.map { ReferenceColumn(table: table, column: $0) } + [ReferenceColumn(table: table, column: nil)]
    }

    /// The quoted name.
    package var name: String { column?.quoted ?? #""___parent""# }

    /// The quoted column of the references' actions; `nil` for the parent.
    package var quotedAction: String? { column?.quotedAction }

    /// Returns the field of a reference with an action, or the parent.
    package func place(_ action: Reference.Action) -> StoredReference.Place {
        column.map { .field($0.field, action: action) } ?? .parent
    }

    /// Whether the references in a field, or those to parents, are in this column.
    package func isPlace(_ place: StoredReference.Place) -> Bool {
        if case .field(_, let action) = place { self.place(action) == place } else { column == nil }
    }
}
