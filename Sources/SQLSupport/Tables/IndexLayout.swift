package import Cabinet

/// The columns that a schema's indexes cover.
///
/// A field that is queryable, sortable or both has one B-tree index, and so has each compound index. One full-text
/// index covers all searchable fields, and each queryable location field has an index of its own. References, IDs and
/// parents have indexes in every schema, so they get no additional ones. Lists have none.
package struct IndexLayout {
    /// The columns of each B-tree index, which may serve several indexes of the schema.
    package private(set) var trees: [[SQLColumn]] = []
    /// The positions of the indexed location columns.
    package private(set) var locations: [Int] = []
    /// The positions of the searchable columns, in the order of the fields' names.
    package private(set) var words: [Int] = []

    /// Creates a layout.
    ///
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
    /// Returns the columns of the index as a B-tree; `nil` if a B-tree cannot hold one of them.
    fileprivate func columns(of fields: FieldColumns) -> [SQLColumn]? {
        let columns = self.fields.compactMap { key -> SQLColumn? in
            if let field = SystemField(rawValue: key) {
                return SQLColumn(field: key, type: field.fieldType, name: field.columnName, hasAction: false)
            }
            return fields[key].flatMap { $0.type.isList || $0.type == .location || $0.type == .asset ? nil : $0 }
        }
        return columns.count == self.fields.count ? columns : nil
    }

    /// Whether an index that every table has serves the same queries.
    fileprivate func isGeneral(in fields: FieldColumns) -> Bool {
        switch self {
        case .queryable(let key):
            [.recordID, .parent].contains(SystemField(rawValue: key)) || fields.types[key] == .reference
        case .sortable(let key): SystemField(rawValue: key) == .recordID
        case .searchable, .compound: false
        }
    }
}
