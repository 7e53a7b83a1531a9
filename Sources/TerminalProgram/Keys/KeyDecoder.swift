/// Turns the bytes that a terminal sends into keys.
///
/// Bytes arrive in chunks of any size. A possible beginning of a longer key waits for the rest, until `flush()`.
struct KeyDecoder {
    private var bytes: [UInt8] = []
    /// The number of bytes of the waiting pasted text that are known to have no end.
    private var searched = 0
    /// The number of bytes of pasted text in which an end was searched, for tests.
    private(set) var searchCount = 0

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
        var start = 0
        while let step = next(in: bytes[start...]) {
            if let key = step.key { keys.append(key) }
            start += step.length
        }
        bytes.removeFirst(start)
        return keys
    }

    /// Returns the keys of the waiting bytes after a pause: the Escape key alone is one of them.
    mutating func flush() -> [Key] {
        guard let first = bytes.first else { return [] }
        let rest = bytes.dropFirst()
        (bytes, searched) = ([], 0)
        // An incomplete sequence or character is discarded.
        return first == 0x1B ? [.escape] + take(rest.first == UInt8(ascii: "[") ? [] : Array(rest)) : []
    }

    /// The key at the beginning, if it is complete, and its length in bytes.
    private mutating func next(in bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        guard let first = bytes.first else { return nil }
        if first == 0x1B {
            return bytes.starts(with: Self.pasteStart) ? paste(in: bytes) : EscapeSequence.next(in: bytes)
        }
        if first < 0x20 || first == 0x7F { return (Self.control(first), 1) }
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

    private mutating func paste(in bytes: ArraySlice<UInt8>) -> (key: Key?, length: Int)? {
        let content = bytes.dropFirst(Self.pasteStart.count)
        // The searched bytes may have the beginning of an end.
        let rest = content.dropFirst(max(0, searched - Self.pasteEnd.count + 1))
        searchCount += rest.count
        let end = rest.firstRange(of: Self.pasteEnd)
        if end == nil, content.count < Self.longestPaste {
            searched = content.count
            return nil
        }
        searched = 0
        let text = String(decoding: content[..<(end?.lowerBound ?? content.endIndex)], as: UTF8.self)
        return (.paste(text), (end?.upperBound ?? content.endIndex) - bytes.startIndex)
    }
}
