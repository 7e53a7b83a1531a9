package import Cabinet

/// The columns of a table that hold fields.
package struct FieldColumns: Sendable {
    package let columns: [SQLColumn]
    /// The fields' names in the order of the columns, shared by all records that are read from the table.
    package let names: FieldNames
    /// The fields' types by name.
    package let types: [Record.FieldKey: FieldType]
    /// The positions of the columns with lists of references.
    package let referenceLists: [Int]

    package init(_ columns: [SQLColumn]) {
        self.columns = columns
        names = FieldNames(columns.map(\.field))
        types = Dictionary(columns.map { ($0.field, $0.type) }, uniquingKeysWith: { first, _ in first })
        referenceLists = columns.indices.filter { columns[$0].type == .list(of: .reference) }
    }

    /// The column of a field.
    package subscript(field: Record.FieldKey) -> SQLColumn? {
        names.position(of: field).map { columns[$0] }
    }
}
