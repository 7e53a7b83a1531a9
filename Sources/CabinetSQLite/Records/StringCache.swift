import CSQLite
import Cabinet

/// The last text of a column, reused while the column has the same bytes.
struct StringCache {
    private(set) var text = ""
    /// Whether the last read has changed the text.
    private(set) var isNew = true

    /// Reads a text.
    ///
    /// - Returns: Whether the value is text.
    mutating func read(_ value: ColumnValue) -> Bool {
        guard value.kind == SQLITE_TEXT else { return false }
        let bytes = value.utf8
        if text.hasScalars(bytes) {
            isNew = false
            return true
        }
        guard let other = Statement.string(bytes) else { return false }
        text = other
        isNew = true
        return true
    }
}
