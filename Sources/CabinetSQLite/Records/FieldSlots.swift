import Cabinet
import SQLSupport

/// Which position of a record's fields belongs in which column of its table, settled once for all records that share a
/// list of names.
struct FieldSlots {
    private var names: FieldNames?
    private var table: Table?
    /// The position in the record's fields, by column.
    private var positions: [Int?] = []
    /// The positions whose fields the table does not have.
    private var strangers: [Int] = []

    /// Makes ready for a record.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the table cannot hold the record.
    mutating func prepare(for record: StoredRecord, in table: Table) throws {
        let names = record.fields.names
        if self.names !== names || self.table !== table {
            positions = table.columns.map { names.position(of: $0.field) }
            strangers = names.names.indices.filter { table.fieldNames.position(of: names.names[$0]) == nil }
            self.names = names
            self.table = table
        }
        for position in strangers where record.fields.values[position] != nil {
            throw CabinetError(
                .invalidArguments, "The schema of '\(record.recordType)' has no such field.",
                recordID: record.recordID, fieldKey: names.names[position])
        }
    }

    /// The value that a record has in a column.
    func value(_ column: Int, of record: StoredRecord) -> FieldValue? {
        positions[column].flatMap { record.fields.values[$0] }
    }

    /// The columns in which a record differs from what is stored, as ``TableStatements/update(of:)`` takes them.
    ///
    /// An index costs as much to write as a row, so columns that stay as they are are better left out.
    ///
    /// - Parameter stored: What is stored.
    func changes(from stored: StoredRecord, to record: StoredRecord, in table: Table) -> [Int] {
        typealias SystemColumn = TableStatements.SystemColumn
        guard stored.fields.isComplete else {
            return SystemColumn.allCases.map(\.rawValue) + table.columns.indices
        }
        var changed: [Int] = []
        if stored.creationDate != record.creationDate { changed.append(SystemColumn.creationDate.rawValue) }
        if stored.creatorName != record.creatorName { changed.append(SystemColumn.creator.rawValue) }
        if stored.lastModifierName != record.lastModifierName { changed.append(SystemColumn.modifier.rawValue) }
        if stored.parentName != record.parentName { changed.append(SystemColumn.parent.rawValue) }
        // Taken out of the records once: each access to a record's fields costs as much as a comparison.
        let (old, new) = (stored.fields, record.fields)
        let sharesNames = old.names === table.fieldNames
        for position in positions.indices {
            let before = sharesNames ? old.values[position] : old[table.columns[position].field]
            if before != positions[position].flatMap({ new.values[$0] }) { changed.append(position) }
        }
        return changed
    }
}
