package import Cabinet

/// Maps the columns of a table to the fields of records, computed once for all records that share a list of names.
package struct ColumnMap {
    private var names: FieldNames?
    private var columnNames: FieldNames?
    /// The positions of the columns' fields in the record.
    package private(set) var positions: [Int?] = []
    /// The positions of the record's fields that have no column.
    private var unknownFields: [Int] = []

    package init() {}

    /// Prepares the map for a record.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the table cannot hold the record.
    package mutating func prepare(for record: StoredRecord, in fields: FieldColumns) throws {
        let names = record.fields.names
        if self.names !== names || columnNames !== fields.names {
            positions = fields.columns.map { names.position(of: $0.field) }
            unknownFields = names.names.indices.filter { fields.names.position(of: names.names[$0]) == nil }
            self.names = names
            columnNames = fields.names
        }
        for position in unknownFields where record.fields.values[position] != nil {
            throw CabinetError(
                .invalidArguments, "The schema of '\(record.recordType)' has no such field.",
                recordID: record.recordID, fieldKey: names.names[position])
        }
    }

    /// Returns the value of a record in a column.
    @inlinable
    package func value(_ column: Int, of record: StoredRecord) -> FieldValue? {
        positions[column].flatMap { record.fields.values[$0] }
    }
}
