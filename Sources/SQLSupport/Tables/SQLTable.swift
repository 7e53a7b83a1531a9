package import Cabinet

/// The table of a record type.
///
/// A table never changes: another schema has other tables.
package protocol SQLTable: AnyObject, Sendable {
    var definition: TableDefinition { get }
    /// The table's name as SQL takes it.
    var quoted: String { get }
    /// The fields whose words an index of the table holds; empty without such an index.
    var wordFields: [Record.FieldKey] { get }
}

extension SQLTable {
    /// The number of the record type.
    @inlinable
    package var id: Int64 { definition.id }

    @inlinable
    package var recordType: Record.RecordType { definition.recordType }

    /// The table's name.
    @inlinable
    package var name: String { definition.name }

    /// The columns of the type's fields.
    @inlinable
    package var fields: FieldColumns { definition.fields }

    @inlinable
    package var columns: [SQLColumn] { definition.fields.columns }

    /// The indexes that the schema asks for.
    @inlinable
    package var indexes: Set<StoredIndex> { definition.indexes }

    /// The column of a field.
    @inlinable
    package func column(of field: Record.FieldKey) -> SQLColumn? { fields[field] }
}

/// A column that holds a field.
package struct SQLColumn: Sendable {
    /// The field's name.
    package let field: Record.FieldKey
    /// The field's type.
    package let type: FieldType
    /// The column's name.
    package let name: String
    /// The column's name as SQL takes it.
    package let quoted: String
    /// The column that holds the actions of the references in this one, as SQL takes it; `nil` without such a column.
    package let quotedAction: String?

    /// - Parameter hasAction: Whether a column of its own holds the actions of references.
    package init(field: Record.FieldKey, type: FieldType, name: String, hasAction: Bool) {
        self.field = field
        self.type = type
        self.name = name
        quoted = SQLName.quoted(name)
        quotedAction = hasAction ? SQLName.quoted(Self.actionName(name)) : nil
    }

    /// The name of the column that holds the actions of the references in a column.
    package static func actionName(_ name: String) -> String { name + ".action" }

    /// The column's names, as SQL takes them.
    package var allQuoted: [String] { [quoted] + (quotedAction.map { [$0] } ?? []) }
}
