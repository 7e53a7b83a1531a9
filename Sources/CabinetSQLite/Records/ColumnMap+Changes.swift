import Cabinet
import SQLSupport

extension ColumnMap {
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
        let sharesNames = old.names === table.definition.fields.names
        for position in positions.indices {
            let before = sharesNames ? old.values[position] : old[table.columns[position].field]
            if before != positions[position].flatMap({ new.values[$0] }) { changed.append(position) }
        }
        return changed
    }
}
