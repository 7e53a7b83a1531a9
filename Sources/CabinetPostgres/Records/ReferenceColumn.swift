import Cabinet
import SQLSupport

/// A column of references, found by their targets.
struct ReferenceColumn {
    let table: Table
    /// The field, or `nil` for the parent.
    private let column: Table.Column?

    /// The columns of a table, with that of the parent.
    static func all(of table: Table) -> [ReferenceColumn] {
        let columns = table.columns.filter { $0.type == .reference }
        return columns.map { ReferenceColumn(table: table, column: $0) } + [ReferenceColumn(table: table, column: nil)]
    }

    var name: String { column?.quoted ?? #""___parent""# }

    /// The number of the action of a reference in the row `t`; any number for the parent.
    var action: String { column?.quotedAction.map { "t.\($0)" } ?? "0::smallint" }

    /// Returns the field of a reference with an action, or the parent.
    func place(_ action: Reference.Action) -> StoredReference.Place {
        column.map { .field($0.field, action: action) } ?? .parent
    }

    /// Whether the references in a field, or those to parents, are in this column.
    func isPlace(_ place: StoredReference.Place) -> Bool {
        if case .field(_, let action) = place { self.place(action) == place } else { column == nil }
    }

    /// Returns the condition of the rows `t` of the database `$1` that refer to a target in a zone with a delete rule.
    ///
    /// Where most records refer to one target, `=` would be expected to find most records, and the table be scanned for each name; a
    /// range is expected to find few.
    func condition(target: String, zone: String) -> String {
        #"t."___database" = $1 AND t."___zone" = \#(zone) AND t.\#(name) BETWEEN \#(target) AND \#(target) "#
            + "AND t.\(name) IS NOT NULL" + (column?.quotedAction.map { " AND t.\($0) <> 0" } ?? "")
    }
}
