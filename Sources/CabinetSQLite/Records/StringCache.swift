import CSQLite
import Cabinet

/// The last text of a column, given out again as long as the column holds the same bytes.
struct StringCache {
    private(set) var text = ""
    /// Whether the text was another one before it was read last.
    private(set) var isNew = true

    /// Reads a text.
    ///
    /// - Returns: Whether the value is one.
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
