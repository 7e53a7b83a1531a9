package import Cabinet

/// The properties of a record type's table that all databases share.
///
/// It is a class so that reading one property copies none of the others.
package final class TableDefinition: Sendable {
    /// The number of the record type.
    package let id: Int64
    package let recordType: Record.RecordType
    /// The table's name.
    package let name: String
    /// The columns of the type's fields.
    package let fields: FieldColumns
    /// The indexes of the schema.
    package let indexes: Set<StoredIndex>

    package init(
        id: Int64, recordType: Record.RecordType, name: String, columns: [SQLColumn], indexes: Set<StoredIndex> = []
    ) {
        self.id = id
        self.recordType = recordType
        self.name = name
        fields = FieldColumns(columns)
        self.indexes = indexes
    }

    /// Returns the definition with other names, columns or indexes.
    package func with(
        recordType: Record.RecordType? = nil, name: String? = nil, columns: [SQLColumn]? = nil,
        indexes: Set<StoredIndex>? = nil
    ) -> TableDefinition {
        TableDefinition(
            id: id, recordType: recordType ?? self.recordType, name: name ?? self.name,
            columns: columns ?? fields.columns, indexes: indexes ?? self.indexes)
    }
}
