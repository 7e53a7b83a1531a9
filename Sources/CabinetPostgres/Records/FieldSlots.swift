import Cabinet
import SQLSupport

/// Which position of a record's fields belongs in which column of its table, settled once for all records that share a list of
/// names.
struct FieldSlots {
    private var names: FieldNames?
    private let table: Table
    /// The position in the record's fields, by column.
    private var positions: [Int?] = []
    /// The positions whose fields the table does not have.
    private var strangers: [Int] = []

    init(_ table: Table) {
        self.table = table
    }

    /// Makes ready for a record.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the table cannot hold the record.
    mutating func prepare(for record: StoredRecord) throws {
        let names = record.fields.names
        if self.names !== names {
            positions = table.columns.map { names.position(of: $0.field) }
            strangers = names.names.indices.filter { table.fieldNames.position(of: names.names[$0]) == nil }
            self.names = names
        }
        for position in strangers where record.fields.values[position] != nil {
            throw CabinetError(
                .invalidArguments, "The schema of '\(record.recordType)' has no such field.",
                recordID: record.recordID, fieldKey: names.names[position])
        }
    }

    /// The field that a column holds.
    func field(_ column: Int) -> Record.FieldKey { table.columns[column].field }

    /// The value that a record has in a column.
    func value(_ column: Int, of record: StoredRecord) -> FieldValue? {
        positions[column].flatMap { record.fields.values[$0] }
    }
}
