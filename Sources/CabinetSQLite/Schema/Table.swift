import Cabinet
import SQLSupport

/// The table of a record type: its name, and the columns of the type's fields.
final class Table: SQLTable {
    typealias Column = SQLColumn

    let id: Int64
    let recordType: Record.RecordType
    let name: String
    let quoted: String
    let fields: FieldColumns
    /// The positions of the columns with lists of assets.
    let assetLists: [Int]
    let indexes: Set<StoredIndex>
    /// The columns of each b-tree that the schema asks for, as SQL takes them.
    let trees: [[String]]
    /// The indexes of words and of places that the table has.
    let words: TableIndexes.Words?
    let places: [TableIndexes.Places]
    /// The columns of all fields that are in them.
    let positionsInVirtualTables: Set<Int>

    /// Describes a table.
    ///
    /// - Parameters:
    ///   - id: The number of the record type.
    ///   - recordType: The record type.
    ///   - name: The table's name.
    ///   - columns: The columns of the type's fields.
    ///   - indexes: The indexes that the schema asks for.
    ///   - virtualTables: The names of the virtual tables that there are.
    init(
        id: Int64, recordType: Record.RecordType, name: String, columns: [Column], indexes: Set<StoredIndex> = [],
        virtualTables: Set<String> = []
    ) {
        self.id = id
        self.recordType = recordType
        self.name = name
        quoted = SQLName.quoted(name)
        fields = FieldColumns(columns)
        assetLists = columns.indices.filter { columns[$0].type == .list(of: .asset) }
        self.indexes = indexes
        let existing = TableIndexes(
            TableIndexes(indexes, tableName: name, fields: fields), existing: virtualTables)
        trees = Array(existing.trees.values)
        words = existing.words
        places = existing.places
        positionsInVirtualTables = Set(places.map(\.position) + (words?.positions ?? []))
    }

    /// The indexes that the table has if everything can be built that some indexes ask for.
    func indexes(for indexes: Set<StoredIndex>) -> TableIndexes {
        TableIndexes(indexes, tableName: name, fields: fields)
    }

    /// The table with other indexes.
    func with(_ indexes: Set<StoredIndex>, virtualTables: Set<String>) -> Table {
        Table(
            id: id, recordType: recordType, name: name, columns: columns, indexes: indexes, virtualTables: virtualTables
        )
    }

    /// The names of the virtual tables that hold indexes of the table.
    var virtualTables: Set<String> { Set(places.map(\.name) + (words.map { [$0.name] } ?? [])) }

    var wordFields: [Record.FieldKey] { words?.fields ?? [] }

    /// The number of the table's columns.
    var columnCount: Int {
        columns.reduce(Layout.systemColumnCount) { $0 + ($1.quotedAction == nil ? 1 : 2) }
    }
}
