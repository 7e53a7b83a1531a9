package import Cabinet

/// The columns that a schema's indexes cover.
///
/// A field that is queryable or sortable has one b-tree for both, and so has each compound index. The words of all searchable fields are
/// indexed together, the locations of each queryable field on their own. References, IDs and parents have indexes in every schema, so
/// they get no other; lists have none.
package struct IndexLayout {
    /// The columns of each b-tree; several indexes may ask for the same one.
    package private(set) var trees: [[SQLColumn]] = []
    /// The positions of the columns with locations.
    package private(set) var locations: [Int] = []
    /// The positions of the columns with words, in the order of the fields' names.
    package private(set) var words: [Int] = []

    /// - Parameters:
    ///   - indexes: The indexes of the schema.
    ///   - fields: The columns of the table.
    package init(_ indexes: Set<StoredIndex>, of fields: FieldColumns) {
        var searchable: [Record.FieldKey] = []
        for index in indexes {
            switch index {
            case .queryable(let key) where fields.types[key] == .location:
                if let position = fields.names.position(of: key) { locations.append(position) }
            case .queryable, .sortable, .compound:
                if !index.isGeneral(in: fields), let columns = index.columns(of: fields) { trees.append(columns) }
            case .searchable(let key): if fields.types[key] == .string { searchable.append(key) }
            }
        }
        words = searchable.sorted().compactMap(fields.names.position)
        locations.sort()
    }
}

extension StoredIndex {
    /// The columns of the index as a b-tree; `nil` if a b-tree cannot hold one of them.
    fileprivate func columns(of fields: FieldColumns) -> [SQLColumn]? {
        let columns = self.fields.compactMap { key -> SQLColumn? in
            if let field = SystemField(rawValue: key) {
                return SQLColumn(field: key, type: field.fieldType, name: field.columnName, hasAction: false)
            }
            return fields[key].flatMap { $0.type.isList || $0.type == .location || $0.type == .asset ? nil : $0 }
        }
        return columns.count == self.fields.count ? columns : nil
    }

    /// Whether every table has an index that serves the same queries.
    fileprivate func isGeneral(in fields: FieldColumns) -> Bool {
        switch self {
        case .queryable(let key):
            [.recordID, .parent].contains(SystemField(rawValue: key)) || fields.types[key] == .reference
        case .sortable(let key): SystemField(rawValue: key) == .recordID
        case .searchable, .compound: false
        }
    }
}
