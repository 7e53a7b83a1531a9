/// Text as PostgreSQL can hold it.
///
/// PostgreSQL's text has no NUL character, and Cabinet's has. U+0001 begins a pair that stands for one of the two lowest
/// characters: U+0001 U+0002 is a NUL, U+0001 U+0003 is U+0001 itself. Every other character stands for itself, so that nearly all
/// text is stored as it is, and a client such as psql reads it.
///
/// The order of texts, compared scalar by scalar, is that of what is stored, and a text begins with another one if what is stored
/// does. So sorting, comparing and looking for a prefix are SQL's; what looks into a text must mind ``isFoundAnywhere(_:)``.
enum StoredText {
    private static let escape: Unicode.Scalar = "\u{1}"

    /// The only byte by which what is stored for a text differs from it.
    static let escapeByte: UInt8 = 1

    /// What is stored for a text.
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

    private static func needsEscape(_ text: String) -> Bool {
        let found = text.utf8.withContiguousStorageIfAvailable { bytes in
            UnsafeRawBufferPointer(bytes).contains(0) || UnsafeRawBufferPointer(bytes).contains(escapeByte)
        }
        return found ?? text.utf8.contains { $0 <= escapeByte }
    }

    /// The text that is stored so.
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

    /// Whether a text that is found within what is stored for another one occurs in that one.
    ///
    /// It may not if it begins with a character that may be the second one of a pair.
    static func isFoundAnywhere(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        return first != 2 && first != 3
    }
}
