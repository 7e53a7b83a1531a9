import Cabinet
import SQLSupport

/// The indexes that a table has because a database's schema requests them.
///
/// The following statements show their b-trees:
///
/// ```sql
/// CREATE INDEX … ON "Items" ("___database", "number" NULLS FIRST, "___insertion", "___zone")
/// CREATE INDEX … ON "Items" ("___database", left("name", 200) NULLS FIRST, "___insertion", "___zone")
/// ```
///
/// They end with the number of the record's insertion, which is the last key of every order. The zone follows, so that rows of
/// other zones are skipped without being read.
///
/// PostgreSQL refuses a row if its key in a b-tree is longer than about 2700 bytes. An index of text therefore holds only a
/// prefix, which ``key(of:type:)`` returns. Sorting by the prefix and then by the text gives the order of the text. A query
/// uses the index only if it names the prefix: `left("name", 200) = left($1, 200) AND "name" = $1`, `ORDER BY left("name",
/// 200), "name"`.
///
/// A queryable location is indexed by its latitude and longitude. The column `"___words"` holds the words of all searchable
/// fields, and has a GIN index.
///
/// Every table has the primary key by database, zone and record name. It has indexes by database, zone and each of `"___etag"`,
/// `"___parent"` and `"___insertion"`, for queries without an order. Each field with a single reference has one by database,
/// zone and target.
struct TableIndexes: Sendable {
    /// A b-tree: its name and its key expressions.
    struct Tree: Sendable, Hashable {
        let name: String
        let keys: [String]
        /// The fields and system fields that the index begins with, after the database.
        let fields: [Record.FieldKey]
    }

    /// The b-trees, sorted by name.
    let trees: [Tree]
    /// The positions of the columns whose words are in the index of words, sorted by field name.
    let words: [Int]

    /// The number of characters of a text that an index holds.
    static let textLength = 200
    /// The number of bytes of a BYTES field that an index holds.
    static let bytesLength = 800
    /// The limit that follows from 2700 bytes for a key, and up to 800 bytes for 200 characters.
    fileprivate static let mostLongKeys = 3

    /// Returns the name of a table's index of words.
    static func wordsName(tableID: Int64) -> String { "cabinet_words_\(tableID)" }

    /// Derives the indexes that the schema of a table requests.
    init(_ indexes: Set<StoredIndex>, tableID: Int64, fields: FieldColumns) {
        let layout = IndexLayout(indexes, of: fields)
        let trees =
            layout.trees.map { Tree(of: $0, tableID: tableID) }
            + layout.locations.map { Tree(ofLocation: fields.columns[$0], tableID: tableID) }
        self.trees = Set(trees).sorted { $0.name < $1.name }
        words = layout.words
    }

    /// Returns the expression that an index holds for a column.
    ///
    /// - Parameters:
    ///   - column: The column, or a parameter that is compared with it, in SQL.
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
    /// The first key: every index holds rows of several databases.
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
            // The rows themselves are compared by the remaining keys.
            if longKeys > TableIndexes.mostLongKeys { break }
            keys.append("\(key) NULLS FIRST")
        }
        keys += [#""___insertion""#, #""___zone""#]
        self.init(tableID: tableID, keys: keys, fields: columns.map(\.field))
    }
}
