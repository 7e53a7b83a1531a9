/// An error in a format string, with its position.
struct FilterSyntaxError: Error {
    /// The offset in the format's UTF-8 bytes.
    let offset: Int

    /// The fault and the remedy: the end of a sentence, and further sentences if necessary.
    let message: String

    init(at offset: Int, _ message: String) {
        self.offset = offset
        self.message = message
    }

    /// The error with the position as a reader counts it, and a caret under the error.
    ///
    /// ```text
    /// The filter cannot be read at position 6: expected an operator such as '==', found 'Milk'.
    ///   name 'Milk'
    ///        ^
    /// ```
    func error(in format: [UInt8]) -> CabinetError {
        let offset = min(offset, format.count)
        let position = String(decoding: format[..<offset], as: UTF8.self).count + 1
        let lineStart = format[..<offset].lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? 0
        let lineEnd = format[offset...].firstIndex(of: Self.lineFeed) ?? format.count

        // A tab would move the caret, because its width depends on the terminal.
        let before = String(decoding: format[lineStart..<offset], as: UTF8.self).map { $0 == "\t" ? " " : $0 }
        let after = String(decoding: format[offset..<lineEnd].prefix(4 * Self.excerpt), as: UTF8.self)
            .map { $0 == "\t" ? " " : $0 }
        let start = before.count > Self.excerpt ? "…" + String(before.suffix(Self.excerpt)) : String(before)
        let end = after.count > Self.excerpt ? String(after.prefix(Self.excerpt)) + "…" : String(after)
        let caret = String(repeating: " ", count: start.count) + "^"
        return CabinetError(
            .invalidArguments,
            "The filter cannot be read at position \(position): \(message)\n  \(start)\(end)\n  \(caret)")
    }

    private static let lineFeed = UInt8(ascii: "\n")
    /// The number of characters shown on each side of the caret.
    private static let excerpt = 40
}
