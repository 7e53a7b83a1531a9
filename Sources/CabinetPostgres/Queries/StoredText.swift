/// Text as PostgreSQL can hold it.
///
/// PostgreSQL's text cannot hold a NUL character, but Cabinet's can. U+0001 begins a pair that encodes one of the two lowest
/// characters: U+0001 U+0002 is a NUL, U+0001 U+0003 is U+0001 itself. Every other character is stored unchanged, so that
/// clients such as psql can read nearly all text.
///
/// The encoding preserves the order of texts, compared scalar by scalar, and their prefixes. So SQL can sort, compare and match
/// prefixes. A search within a text must check ``isFoundAnywhere(_:)``.
enum StoredText {
    private static let escape: Unicode.Scalar = "\u{1}"

    /// The only byte that encoded texts have and others do not.
    static let escapeByte: UInt8 = 1

    /// Returns the stored form of a text.
    static func encoded(_ text: String) -> String {
        guard needsEscape(text) else { return text }
        var stored = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0: stored.append(contentsOf: [escape, "\u{2}"])
            case 1: stored.append(contentsOf: [escape, "\u{3}"])
            default: stored.append(scalar)
            }
        }
        return String(stored)
    }

    /// Whether the stored form of a text is another one.
    static func needsEscape(_ text: String) -> Bool {
        let found = text.utf8.withContiguousStorageIfAvailable { bytes in
            UnsafeRawBufferPointer(bytes).contains(0) || UnsafeRawBufferPointer(bytes).contains(escapeByte)
        }
        return found ?? text.utf8.contains { $0 <= escapeByte }
    }

    /// Returns the text of a stored form, which is given as UTF-8.
    static func decoded(_ bytes: UnsafeRawBufferPointer) -> String {
        let stored = String(decoding: bytes, as: UTF8.self)
        return bytes.contains(escapeByte) ? decoded(stored) : stored
    }

    /// Returns the text of a stored form.
    static func decoded(_ stored: String) -> String {
        guard stored.utf8.contains(1) else { return stored }
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in stored.unicodeScalars {
            if isEscaped {
                text.append(scalar == "\u{2}" ? "\0" : escape)
                isEscaped = false
            } else if scalar == escape {
                isEscaped = true
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    /// Whether each match of a text within a stored text is a match within the text itself.
    ///
    /// A text that begins with U+0002 or U+0003 may match the second character of a pair.
    static func isFoundAnywhere(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        return first != 2 && first != 3
    }
}
