import Cabinet
import SQLSupport

/// The indexes that a table has because a database's schema asks for them.
///
/// A field that is queryable or sortable has one b-tree for both, and so has each compound index:
///
/// ```sql
/// CREATE INDEX … ON "Items" ("___database", "number" NULLS FIRST, "___insertion", "___zone")
/// CREATE INDEX … ON "Items" ("___database", left("name", 200) NULLS FIRST, "___insertion", "___zone")
/// ```
///
/// They end with the number of the record's insertion, which is the last key of every order, and with the zone, so that rows of other
/// zones are passed over without being read. A b-tree of PostgreSQL holds no keys that are longer than
/// about 2700 bytes, and fails to take the row; so of text only the beginning is in it, which ``key(of:type:)`` writes. The order
/// by the beginning and then by the text is the order by the text. A query makes use of the index if it says so:
/// `left("name", 200) = left($1, 200) AND "name" = $1`, `ORDER BY left("name", 200), "name"`. A queryable place is indexed by its
/// latitude and longitude. The words of all searchable fields together are in the column `"___words"`, for which there is a GIN.
///
/// Every table has the primary key by database, zone and record name, indexes by database, zone and each of `"___etag"`, `"___parent"`
/// and `"___insertion"`, for queries without an order, and for each field with a single reference one by database, zone and target.
/// Lists have none.
struct TableIndexes: Sendable {
    /// A b-tree: its name, and its keys as SQL takes them.
    struct Tree: Sendable, Hashable {
        let name: String
        let keys: [String]
        /// The fields and system fields that it begins with, after the database.
        let fields: [Record.FieldKey]
    }

    /// The b-trees, in the order of their names.
    let trees: [Tree]
    /// The positions of the columns whose words are in the index of words, in the order of the fields' names.
    let words: [Int]
    /// The positions of the columns with places that are indexed.
    let places: [Int]

    /// How many characters of a text are in an index.
    static let textLength = 200
    /// How many bytes of a BYTES field are in an index.
    static let bytesLength = 800
    /// A key may take some 2700 bytes, and a text of 200 characters takes up to 800.
    private static let mostLongKeys = 3

    /// The name of the index of words of a table.
    static func wordsName(tableID: Int64) -> String { "cabinet_words_\(tableID)" }

    /// The indexes that are wanted for a table.
    init(_ indexes: Set<StoredIndex>, tableID: Int64, columns: [Table.Column], names: FieldNames) {
        let source = Source(tableID: tableID, columns: columns, names: names)
        var trees: Set<Tree> = []
        var words: [Record.FieldKey] = []
        var places: [Int] = []
        for index in indexes {
            switch index {
            case .queryable(let key) where source.type(of: key) == .location:
                guard let position = names.position(of: key) else { continue }
                places.append(position)
                trees.insert(source.tree(ofPlace: columns[position]))
            case .queryable(let key), .sortable(let key):
                guard !source.isFoundAnyway(by: index), let tree = source.tree(of: [key]) else { continue }
                trees.insert(tree)
            case .searchable(let key):
                if source.type(of: key) == .string { words.append(key) }
            case .compound(let keys):
                if let tree = source.tree(of: keys) { trees.insert(tree) }
            }
        }
        self.trees = trees.sorted { $0.name < $1.name }
        self.words = words.sorted().compactMap(names.position)
        self.places = places.sorted()
    }

    /// What stands in an index for a column.
    ///
    /// - Parameters:
    ///   - column: The column, or a parameter that is compared with it, as SQL takes it.
    ///   - type: The type of the field.
    static func key(of column: String, type: FieldType) -> String {
        switch type {
        case .string: "left(\(column), \(textLength))"
        case .bytes: "substring(\(column), 1, \(bytesLength))"
        default: column
        }
    }

    fileprivate static func name(tableID: Int64, _ keys: [String]) -> String {
        "cabinet_index_\(tableID)_\(SQLName.digest(keys.joined(separator: ",")))"
    }

    fileprivate static var longKeyLimit: Int { mostLongKeys }
}

/// The columns that indexes are made of.
private struct Source {
    let tableID: Int64
    let columns: [Table.Column]
    let names: FieldNames

    func type(of key: Record.FieldKey) -> FieldType? {
        names.position(of: key).map { columns[$0].type }
    }

    func tree(ofPlace column: Table.Column) -> TableIndexes.Tree {
        let keys = [#""___database""#, "(\(column.quoted)[1])", "(\(column.quoted)[2])"]
        return TableIndexes.Tree(
            name: TableIndexes.name(tableID: tableID, keys), keys: keys, fields: [column.field])
    }

    /// A b-tree of some fields; `nil` if it cannot hold one of them.
    func tree(of fields: [Record.FieldKey]) -> TableIndexes.Tree? {
        var keys = [#""___database""#]
        var longKeys = 0
        for field in fields {
            guard let column = column(of: field) else { return nil }
            if column.isLong { longKeys += 1 }
            // What follows is left to be compared in the rows.
            if longKeys > TableIndexes.longKeyLimit { break }
            keys.append("\(column.key) NULLS FIRST")
        }
        keys += [#""___insertion""#, #""___zone""#]
        return TableIndexes.Tree(name: TableIndexes.name(tableID: tableID, keys), keys: keys, fields: fields)
    }

    /// The column of a field or system field that a b-tree can hold.
    private func column(of key: Record.FieldKey) -> (key: String, isLong: Bool)? {
        switch SystemField(rawValue: key) {
        case .recordID: return (#""___recordID""#, false)
        case .creationDate: return (#""___createTime""#, false)
        case .modificationDate: return (#""___modTime""#, false)
        case .creatorUserRecordID: return (#""___createdBy""#, false)
        case .lastModifiedUserRecordID: return (#""___modifiedBy""#, false)
        case .parent: return (#""___parent""#, false)
        case nil: break
        }
        guard let position = names.position(of: key) else { return nil }
        let column = columns[position]
        if column.type.isList || column.type == .location || column.type == .asset { return nil }
        let key = TableIndexes.key(of: column.quoted, type: column.type)
        return (key, key != column.quoted)
    }

    /// Whether a table has an index that does what is asked for, whatever its schema says.
    func isFoundAnyway(by index: StoredIndex) -> Bool {
        switch index {
        case .queryable(let key):
            [.recordID, .parent].contains(SystemField(rawValue: key)) || type(of: key) == .reference
        case .sortable(let key): SystemField(rawValue: key) == .recordID
        case .searchable, .compound: false
        }
    }
}
