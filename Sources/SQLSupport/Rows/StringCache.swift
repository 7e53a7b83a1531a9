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
    /// - Parameters:
    ///   - bytes: The bytes of the text; `nil` if the column has none.
    ///   - decoded: Decodes the bytes; returns `nil` if they are invalid.
    /// - Returns: Whether the column has a valid text.
    package mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>?, _ decoded: (UnsafeBufferPointer<UInt8>) -> String?
    ) -> Bool {
        guard let bytes else { return false }
        isNew = !text.hasScalars(bytes)
        guard isNew else { return true }
        guard let other = decoded(bytes) else { return false }
        text = other
        return true
    }
}
