/// Turns the bytes that a terminal sends into keys.
///
/// Bytes arrive in chunks of any size. A possible beginning of a longer key waits for the rest, until `flush()`.
struct KeyDecoder {
    private var bytes: [UInt8] = []

    /// The bytes between which a terminal sends pasted text.
    private static let pasteStart = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    /// Pasted text is cut here, so that a terminal that never ends it cannot exhaust the memory.
    private static let longestPaste = 1 << 20

    /// Whether some bytes wait for more.
    var isWaiting: Bool { !bytes.isEmpty }

    /// Whether the waiting bytes belong to pasted text, which may arrive slowly.
    var isInPaste: Bool { bytes.starts(with: Self.pasteStart) }

    /// Adds bytes, and returns the keys that are complete.
    mutating func take(_ new: some Sequence<UInt8>) -> [Key] {
        bytes += new
        var keys: [Key] = []
        var rest = bytes[...]
        while let step = Self.next(in: rest) {
            if let key = step.key { keys.append(key) }
            rest = rest.dropFirst(step.length)
        }
        bytes = Array(rest)
        return keys
    }

    /// Returns the keys of the waiting bytes after a pause: the Escape key alone is one of them.
    mutating func flush() -> [Key] {
        guard let first = bytes.first else { return [] }
        let rest = bytes.dropFirst()
        bytes = []
        // An incomplete sequence or character is discarded.
        return first == 0x1B ? [.escape] + take(rest.first == UInt8(ascii: "[") ? [] : Array(rest)) : []
    }

    /// The key at the beginning, if it is complete, and its length in bytes.
    private static func next(in bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        guard let first = bytes.first else { return nil }
        if first == 0x1B { return bytes.starts(with: pasteStart) ? paste(in: bytes) : EscapeSequence.next(in: bytes) }
        if first < 0x20 || first == 0x7F { return (control(first), 1) }
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard bytes.count >= length else { return nil }
        // Bytes that are not UTF-8 are skipped one by one.
        guard let text = String(validating: bytes.prefix(length), as: UTF8.self), let character = text.first else {
            return (nil, 1)
        }
        return (.character(character), length)
    }

    private static func control(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x0D, 0x0A: .enter
        case 0x09: .tab
        case 0x7F, 0x08: .backspace
        case 1...26: .control(Character(Unicode.Scalar(byte + 0x60)))
        default: nil
        }
    }

    private static func paste(in bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        let content = bytes.dropFirst(pasteStart.count)
        guard let end = content.firstRange(of: pasteEnd) else {
            return content.count < longestPaste ? nil : (.paste(String(decoding: content, as: UTF8.self)), bytes.count)
        }
        let text = String(decoding: content[..<end.lowerBound], as: UTF8.self)
        return (.paste(text), end.upperBound - bytes.startIndex)
    }
}
