import Cabinet
import SQLSupport

/// The table of a record type: its name, and the columns of the type's fields.
///
/// A table never changes: a new field makes a new one.
final class Table: Sendable {
    typealias Column = SQLColumn

    /// The number of the record type.
    let id: Int64
    let recordType: Record.RecordType
    let name: String
    /// The table's name as SQL takes it.
    let quoted: String
    let columns: [Column]
    /// The fields' names, in the order of their columns, shared by all records that are read from this table.
    let fieldNames: FieldNames
    /// The positions of the columns with lists of references.
    let referenceLists: [Int]
    /// The positions of the columns with lists of assets.
    let assetLists: [Int]
    /// The fields' types by name.
    let fieldTypes: [Record.FieldKey: FieldType]
    /// The indexes that the schema asks for.
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
        self.columns = columns
        quoted = SQLName.quoted(name)
        fieldNames = FieldNames(columns.map(\.field))
        referenceLists = columns.indices.filter { columns[$0].type == .list(of: .reference) }
        assetLists = columns.indices.filter { columns[$0].type == .list(of: .asset) }
        fieldTypes = Dictionary(columns.map { ($0.field, $0.type) }, uniquingKeysWith: { first, _ in first })
        self.indexes = indexes
        let existing = TableIndexes(
            TableIndexes(indexes, tableName: name, columns: columns, names: fieldNames), existing: virtualTables)
        trees = Array(existing.trees.values)
        words = existing.words
        places = existing.places
        positionsInVirtualTables = Set(places.map(\.position) + (words?.positions ?? []))
    }

    /// The indexes that the table has if everything can be built that some indexes ask for.
    func indexes(for indexes: Set<StoredIndex>) -> TableIndexes {
        TableIndexes(indexes, tableName: name, columns: columns, names: fieldNames)
    }

    /// The table with other indexes.
    func with(_ indexes: Set<StoredIndex>, virtualTables: Set<String>) -> Table {
        Table(
            id: id, recordType: recordType, name: name, columns: columns, indexes: indexes, virtualTables: virtualTables
        )
    }

    /// The names of the virtual tables that hold indexes of the table.
    var virtualTables: Set<String> { Set(places.map(\.name) + (words.map { [$0.name] } ?? [])) }

    /// The column of a field.
    func column(of field: Record.FieldKey) -> Column? {
        fieldNames.position(of: field).map { columns[$0] }
    }

    /// The number of the table's columns.
    var columnCount: Int {
        columns.reduce(Layout.systemColumnCount) { $0 + ($1.quotedAction == nil ? 1 : 2) }
    }
}
