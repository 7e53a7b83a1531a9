import Cabinet
import SQLSupport

/// A group of tables that one statement searches for records.
///
/// The rows of all tables have the same columns: those that every record has, and then the fields of each table in turn, which
/// are null in the rows of the others. So looking up records of a few types takes one statement.
struct LookupTables: Sendable {
    /// A table, and its part of the statement.
    struct Part: Sendable {
        let table: Table
        /// The number of columns of other tables before those of the table's fields.
        let skippedCount: Int
        /// The columns to select, including those of other tables.
        let selection: String
    }

    let parts: [Part]
    /// The number of columns before the positions of the row's name and table.
    let columnCount: Int

    /// The limit of field columns in a statement for several tables: each row has a null for each column of another table.
    private static let mostColumns = 100

    /// Divides tables into as few groups as the limit of columns allows.
    ///
    /// - Parameter keys: The fields to select, or `nil` for all.
    static func groups(of tables: [Table], keys: [Record.FieldKey]?) -> [LookupTables] {
        var groups: [LookupTables] = []
        var group: [Source] = []
        var width = 0
        for table in tables {
            let source = Source(table, keys: keys)
            if !group.isEmpty, width + source.types.count > mostColumns {
                groups.append(LookupTables(group))
                group = []
                width = 0
            }
            group.append(source)
            width += source.types.count
        }
        if !group.isEmpty { groups.append(LookupTables(group)) }
        return groups
    }

    private init(_ sources: [Source]) {
        let nulls = sources.map { source in source.types.map { ", NULL::\($0)" }.joined() }
        var parts: [Part] = []
        var skippedCount = 0
        for (index, source) in sources.enumerated() {
            let selection =
                RowDecoder.selection(of: [], .all, from: "t") + nulls[..<index].joined()
                + source.names.map { ", t.\($0)" }.joined() + nulls[(index + 1)...].joined()
            parts.append(Part(table: source.table, skippedCount: skippedCount, selection: selection))
            skippedCount += source.types.count
        }
        self.parts = parts
        columnCount = SQLColumn.system.count + skippedCount
    }

    /// The columns of a table's fields.
    private struct Source {
        let table: Table
        var names: [String] = []
        var types: [String] = []

        init(_ table: Table, keys: [Record.FieldKey]?) {
            self.table = table
            for case let column? in FieldSelection(keys, of: table.fields).columns {
                names.append(column.quoted)
                types.append(Layout.plainType(of: column.type))
                guard let action = column.quotedAction else { continue }
                names.append(action)
                types.append(Layout.actionType(of: column.type))
            }
        }
    }
}
