import Cabinet
import SQLSupport

/// The indexes of a table that its schema requires.
///
/// Every B-tree ends with the row's number, which is the last key of every order. One FTS5 table contains the words of
/// all searchable fields. The locations of each queryable field are in an R-tree.
struct TableIndexes: Sendable {
    /// A full-text index, whose rows have the numbers of the table's rows.
    struct Words: Sendable {
        let name: String
        /// The searchable fields, in the order of their names.
        let fields: [Record.FieldKey]
        /// The positions of the fields' columns.
        let positions: [Int]
        /// The index's quoted name.
        let quoted: String
    }

    /// A location index, whose rows have the numbers of the table's rows.
    struct Places: Sendable {
        let name: String
        /// The position of the field's column.
        let position: Int
        /// The index's quoted name.
        let quoted: String
    }

    /// The quoted columns of the B-tree indexes, by the names of the indexes.
    let trees: [String: [String]]
    let words: Words?
    let places: [Places]

    /// The indexes that a schema requires for a table.
    init(_ indexes: Set<StoredIndex>, tableName: String, fields: FieldColumns) {
        let layout = IndexLayout(indexes, of: fields)
        var trees: [String: [String]] = [:]
        for columns in layout.trees {
            // No name contains a dot or a comma, so the names of two indexes differ.
            let names = columns.map(\.name).joined(separator: ",")
            trees["cabinet_index_\(tableName).\(names)"] = columns.map(\.quoted)
        }
        self.trees = trees
        places = layout.locations.map { position in
            let name = "cabinet_search_\(tableName).\(fields.columns[position].name).places"
            return Places(name: name, position: position, quoted: SQLName.quoted(name))
        }
        let name = "cabinet_search_\(tableName).words"
        words =
            layout.words.isEmpty
            ? nil
            : Words(
                name: name, fields: layout.words.map { fields.columns[$0].field }, positions: layout.words,
                quoted: SQLName.quoted(name))
    }

    /// The full-text and location indexes that exist.
    ///
    /// A system's SQLite may be built without them. Then each row is tested.
    ///
    /// - Parameter names: The names of a file's virtual tables.
    init(_ indexes: TableIndexes, existing names: Set<String>) {
        trees = indexes.trees
        words = indexes.words.flatMap { names.contains($0.name) ? $0 : nil }
        places = indexes.places.filter { names.contains($0.name) }
    }
}
