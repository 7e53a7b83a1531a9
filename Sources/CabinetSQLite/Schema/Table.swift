import Cabinet

/// The table of a record type: its name, and the columns of the type's fields.
///
/// A table never changes: a new field makes a new one.
final class Table: Sendable {
    /// A column that holds a field.
    struct Column: Sendable {
        /// The field's name.
        let field: Record.FieldKey
        /// The field's type.
        let type: FieldType
        /// The column's name.
        let name: String
        /// The column's name as SQL takes it.
        let quoted: String
        /// The column that holds a reference's action, as SQL takes it; `nil` for fields that hold no single reference.
        let quotedAction: String?

        init(field: Record.FieldKey, type: FieldType, name: String) {
            self.field = field
            self.type = type
            self.name = name
            quoted = SQLName.quoted(name)
            quotedAction = type == .reference ? SQLName.quoted(Self.actionName(name)) : nil
        }

        /// The name of the column that holds the action of the references in a column.
        static func actionName(_ name: String) -> String { name + ".action" }

        /// The column's names, as SQL takes them.
        var allQuoted: [String] { [quoted] + (quotedAction.map { [$0] } ?? []) }
    }

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
    /// The fields' types by name.
    let fieldTypes: [Record.FieldKey: FieldType]

    init(id: Int64, recordType: Record.RecordType, name: String, columns: [Column]) {
        self.id = id
        self.recordType = recordType
        self.name = name
        self.columns = columns
        quoted = SQLName.quoted(name)
        fieldNames = FieldNames(columns.map(\.field))
        referenceLists = columns.indices.filter { columns[$0].type == .list(of: .reference) }
        fieldTypes = Dictionary(columns.map { ($0.field, $0.type) }, uniquingKeysWith: { first, _ in first })
    }

    /// The column of a field.
    func column(of field: Record.FieldKey) -> Column? {
        fieldNames.position(of: field).map { columns[$0] }
    }

    /// The number of the table's columns.
    var columnCount: Int {
        columns.reduce(Layout.systemColumnCount) { $0 + ($1.quotedAction == nil ? 1 : 2) }
    }
}
