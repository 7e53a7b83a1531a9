package import Cabinet

/// The table of a record type.
///
/// A table is immutable; another schema has other tables.
package protocol SQLTable: AnyObject, Sendable {
    var definition: TableDefinition { get }
    /// The fields of the table's full-text index; empty without such an index.
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

    /// The indexes of the schema.
    @inlinable
    package var indexes: Set<StoredIndex> { definition.indexes }

    /// Returns the column of a field.
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
    /// The column's quoted name.
    package let quoted: String
    /// The quoted column that holds the actions of the references in this one; `nil` without such a column.
    package let quotedAction: String?

    /// Creates a column.
    ///
    /// - Parameter hasAction: Whether the actions of references have a separate column.
    package init(field: Record.FieldKey, type: FieldType, name: String, hasAction: Bool) {
        self.field = field
        self.type = type
        self.name = name
        quoted = SQLName.quoted(name)
        quotedAction = hasAction ? SQLName.quoted(Self.actionName(name)) : nil
    }

    /// Returns the name of the column for the actions of the references in a column.
    private static func actionName(_ name: String) -> String { name + ".action" }

    /// The names of this column and of its action column.
    package var allNames: [String] { [name] + (quotedAction == nil ? [] : [Self.actionName(name)]) }

    /// The quoted names of this column and of its action column.
    package var allQuoted: [String] { [quoted] + (quotedAction.map { [$0] } ?? []) }
}
