import Cabinet
import SQLSupport

/// The indexes that a table has because its schema asks for them.
///
/// A field that is queryable or sortable has one b-tree for both, and so has each compound index. Every b-tree ends with the
/// row's number, which is the last key of every order. The words of all searchable fields together are in one FTS5 table, the places
/// of each queryable field in an R-tree. What has an index anyway gets no other: references, IDs and parents. Lists have none.
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

    /// The indexes that are wanted for a table.
    init(_ indexes: Set<StoredIndex>, tableName: String, columns: [Table.Column], names: FieldNames) {
        let source = Source(tableName: tableName, columns: columns, names: names)
        var trees: [String: [String]] = [:]
        var searchable: [Record.FieldKey] = []
        var places: [Places] = []
        for index in indexes {
            switch index {
            case .queryable(let key) where source.type(of: key) == .location:
                guard let position = names.position(of: key) else { continue }
                let name = "cabinet_search_\(tableName).\(columns[position].name).places"
                places.append(Places(name: name, position: position, quoted: SQLName.quoted(name)))
            case .queryable(let key), .sortable(let key):
                guard !source.isFoundAnyway(by: index), let tree = source.tree(of: [key]) else { continue }
                trees[tree.name] = tree.columns
            case .searchable(let key):
                if source.type(of: key) == .string { searchable.append(key) }
            case .compound(let keys):
                if let tree = source.tree(of: keys) { trees[tree.name] = tree.columns }
            }
        }
        searchable.sort()
        self.trees = trees
        self.places = places.sorted { $0.position < $1.position }
        let name = "cabinet_search_\(tableName).words"
        words =
            searchable.isEmpty
            ? nil
            : Words(
                name: name, fields: searchable, positions: searchable.compactMap(names.position),
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

/// The columns that indexes are made of.
private struct Source {
    let tableName: String
    let columns: [Table.Column]
    let names: FieldNames

    func type(of key: Record.FieldKey) -> FieldType? {
        names.position(of: key).map { columns[$0].type }
    }

    /// A b-tree of some fields; `nil` if it cannot hold one of them.
    func tree(of keys: [Record.FieldKey]) -> (name: String, columns: [String])? {
        var names: [String] = []
        for key in keys {
            guard let name = column(of: key) else { return nil }
            names.append(name)
        }
        // A dot and a comma are in nobody's name, so no two indexes have one name.
        return ("cabinet_index_\(tableName).\(names.joined(separator: ","))", names.map(SQLName.quoted))
    }

    /// The column of a field or system field that a b-tree can hold.
    private func column(of key: Record.FieldKey) -> String? {
        switch SystemField(rawValue: key) {
        case .recordID: return "___recordID"
        case .creationDate: return "___createTime"
        case .modificationDate: return "___modTime"
        case .creatorUserRecordID: return "___createdBy"
        case .lastModifiedUserRecordID: return "___modifiedBy"
        case .parent: return "___parent"
        case nil: break
        }
        guard let position = names.position(of: key) else { return nil }
        let type = columns[position].type
        return type.isList || type == .location || type == .asset ? nil : columns[position].name
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
