import Cabinet

/// The last text of a column, reused while the column has the same bytes.
///
/// Adjacent rows often have the same names. A comparison of bytes avoids creating the same string again.
package struct StringCache {
    package private(set) var text = ""
    /// Whether the last read has changed the text.
    package private(set) var isNew = true

    package init() {}

    /// Reads a text.
    ///
    /// - Returns: Whether the column has a valid text.
    package mutating func read(_ column: Int, of row: some SQLRow) -> Bool {
        row.textBytes(column).map { read($0, type(of: row).string) } ?? false
    }

    package mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, _ decoded: (UnsafeBufferPointer<UInt8>) -> String?
    ) -> Bool {
        isNew = !text.hasScalars(bytes)
        guard isNew else { return true }
        guard let other = decoded(bytes) else { return false }
        text = other
        return true
    }
}
