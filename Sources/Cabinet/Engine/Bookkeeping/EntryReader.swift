/// Reads the parts of an entry's text, which are separated by spaces, without copying them.
struct EntryReader {
    private var remainder: Substring.UTF8View

    init(_ text: String) {
        remainder = Substring(text).utf8
    }

    /// Whether the text was read completely.
    var isAtEnd: Bool { remainder.isEmpty }

    /// Reads a number and the space after it; `nil` if the next part is not a number.
    mutating func number() -> Int64? {
        let part = remainder.prefix { $0 != UInt8(ascii: " ") }
        guard let number = Int64(Substring(part)) else { return nil }
        remainder = remainder[part.endIndex...].dropFirst()
        return number
    }

    /// The rest of the text.
    func rest() -> String { String(Substring(remainder)) }
}
