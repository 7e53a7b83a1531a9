import Cabinet
import SQLSupport

/// The indexes that a table has because a database's schema asks for them.
///
/// Their b-trees look like this:
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

    /// How many characters of a text are in an index.
    static let textLength = 200
    /// How many bytes of a BYTES field are in an index.
    static let bytesLength = 800
    /// A key may take some 2700 bytes, and a text of 200 characters takes up to 800.
    fileprivate static let mostLongKeys = 3

    /// The name of the index of words of a table.
    static func wordsName(tableID: Int64) -> String { "cabinet_words_\(tableID)" }

    /// The indexes that the schema of a table asks for.
    init(_ indexes: Set<StoredIndex>, tableID: Int64, fields: FieldColumns) {
        let layout = IndexLayout(indexes, of: fields)
        let trees =
            layout.trees.map { Tree(of: $0, tableID: tableID) }
            + layout.locations.map { Tree(ofLocation: fields.columns[$0], tableID: tableID) }
        self.trees = Set(trees).sorted { $0.name < $1.name }
        words = layout.words
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
}

extension TableIndexes.Tree {
    /// The keys of an index that holds rows of several databases begin with the database.
    private static let database = #""___database""#

    private init(tableID: Int64, keys: [String], fields: [Record.FieldKey]) {
        name = "cabinet_index_\(tableID)_\(SQLName.digest(keys.joined(separator: ",")))"
        self.keys = keys
        self.fields = fields
    }

    fileprivate init(ofLocation column: SQLColumn, tableID: Int64) {
        self.init(
            tableID: tableID, keys: [Self.database, "(\(column.quoted)[1])", "(\(column.quoted)[2])"],
            fields: [column.field])
    }

    fileprivate init(of columns: [SQLColumn], tableID: Int64) {
        var keys = [Self.database]
        var longKeys = 0
        for column in columns {
            let key = TableIndexes.key(of: column.quoted, type: column.type)
            if key != column.quoted { longKeys += 1 }
            // The rows themselves are compared by the rest.
            if longKeys > TableIndexes.mostLongKeys { break }
            keys.append("\(key) NULLS FIRST")
        }
        keys += [#""___insertion""#, #""___zone""#]
        self.init(tableID: tableID, keys: keys, fields: columns.map(\.field))
    }
}
