import Cabinet
import SQLSupport

/// The indexes that a table has because its schema asks for them.
///
/// Every b-tree ends with the row's number, which is the last key of every order. The words of all searchable fields together are in one
/// FTS5 table, the places of each queryable field in an R-tree.
struct TableIndexes: Sendable {
    /// An index of words, whose rows have the numbers of the table's rows.
    struct Words: Sendable {
        let name: String
        /// The searchable fields, in the order of their names.
        let fields: [Record.FieldKey]
        /// The positions of their columns.
        let positions: [Int]
        /// The index's name as SQL takes it.
        let quoted: String
    }

    /// An index of places, whose rows have the numbers of the table's rows.
    struct Places: Sendable {
        let name: String
        /// The position of the field's column.
        let position: Int
        /// The index's name as SQL takes it.
        let quoted: String
    }

    /// The b-trees: by the index's name, its columns as SQL takes them.
    let trees: [String: [String]]
    let words: Words?
    let places: [Places]

    /// The indexes that the schema of a table asks for.
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

    /// The indexes of words and of places that there are.
    ///
    /// A system's SQLite may be built without them; then the rows are looked at one by one.
    ///
    /// - Parameter names: The names of a file's virtual tables.
    init(_ indexes: TableIndexes, existing names: Set<String>) {
        trees = indexes.trees
        words = indexes.words.flatMap { names.contains($0.name) ? $0 : nil }
        places = indexes.places.filter { names.contains($0.name) }
    }
}
