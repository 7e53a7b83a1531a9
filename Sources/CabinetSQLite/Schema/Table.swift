import Cabinet
import SQLSupport

/// The table of a record type: its name, and the columns of the type's fields.
final class Table: SQLTable {
    typealias Column = SQLColumn

    let definition: TableDefinition
    let quoted: String
    /// The positions of the columns with lists of assets.
    let assetLists: [Int]
    /// The quoted columns of each B-tree index of the schema.
    let trees: [[String]]
    /// The full-text and location indexes of the table.
    let words: TableIndexes.Words?
    let places: [TableIndexes.Places]
    /// The positions of all fields in these indexes.
    let positionsInVirtualTables: Set<Int>
    /// Whether the table has an index by zone, because it has had a record outside of the default zone.
    let hasZoneIndex: Bool

    /// Creates the description of a table.
    ///
    /// - Parameters:
    ///   - definition: The table's columns, and the indexes of the schema.
    ///   - virtualTables: The names of the virtual tables that exist.
    ///   - hasZoneIndex: Whether the table has an index by zone.
    init(_ definition: TableDefinition, virtualTables: Set<String> = [], hasZoneIndex: Bool = false) {
        self.definition = definition
        let (name, columns) = (definition.name, definition.fields.columns)
        quoted = SQLName.quoted(name)
        assetLists = columns.indices.filter { columns[$0].type == .list(of: .asset) }
        let existing = TableIndexes(
            TableIndexes(definition.indexes, tableName: name, fields: definition.fields), existing: virtualTables)
        trees = Array(existing.trees.values)
        words = existing.words
        places = existing.places
        positionsInVirtualTables = Set(places.map(\.position) + (words?.positions ?? []))
        self.hasZoneIndex = hasZoneIndex
    }

    /// Returns the indexes for a schema, if all of them can be built.
    func indexes(for indexes: Set<StoredIndex>) -> TableIndexes {
        TableIndexes(indexes, tableName: name, fields: fields)
    }

    /// Returns the table with other indexes.
    func with(_ indexes: Set<StoredIndex>, virtualTables: Set<String>) -> Table {
        Table(definition.with(indexes: indexes), virtualTables: virtualTables, hasZoneIndex: hasZoneIndex)
    }

    /// The table with an index by zone.
    var withZoneIndex: Table { Table(definition, virtualTables: virtualTables, hasZoneIndex: true) }

    /// The names of the virtual tables that hold indexes of the table.
    var virtualTables: Set<String> { Set(places.map(\.name) + (words.map { [$0.name] } ?? [])) }

    var wordFields: [Record.FieldKey] { words?.fields ?? [] }

    /// The number of the table's columns.
    var columnCount: Int {
        columns.reduce(Layout.systemColumnCount) { $0 + ($1.quotedAction == nil ? 1 : 2) }
    }
}
