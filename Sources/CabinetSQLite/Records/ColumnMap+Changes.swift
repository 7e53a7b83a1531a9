import Cabinet
import SQLSupport

extension ColumnMap {
    /// Returns the columns in which a record differs from the stored one, for ``TableStatements/update(of:)``.
    ///
    /// Updating an index costs as much as writing a row, so unchanged columns are omitted.
    ///
    /// - Parameter stored: The stored record.
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
        // Copied once, because each access to a record's fields costs as much as a comparison.
        let (old, new) = (stored.fields, record.fields)
        let sharesNames = old.names === table.definition.fields.names
        for position in positions.indices {
            let before = sharesNames ? old.values[position] : old[table.columns[position].field]
            if before != positions[position].flatMap({ new.values[$0] }) { changed.append(position) }
        }
        return changed
    }
}
