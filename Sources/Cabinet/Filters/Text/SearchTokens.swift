/// The words of a text, for a search for words.
///
/// This is the only definition of a token: the evaluator compares tokens, and a backend's index of words holds them. A
/// text is folded without regard to case and accents, and divided into its longest runs of letters, digits and the
/// marks that follow them. Spaces and punctuation between the runs are dropped. Runs of scripts without spaces are one
/// token each.
public enum SearchTokens {
    /// Returns the tokens of a text in their order, with repetitions.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public static func tokens(in text: String) -> [String] {
        var folded = text.folded([.caseInsensitive, .diacriticInsensitive])
        return folded.withUTF8 { text in
            var tokens: [String] = []
            var (start, index) = (0, 0)
            func add() {
                if start < index { tokens.append(String(decoding: text[start..<index], as: UTF8.self)) }
            }
            while index < text.count {
                let length = length(ofPartAt: index, in: text)
                if length <= 0 {
                    add()
                    start = index - length
                }
                index += length < 0 ? -length : length
            }
            add()
            return tokens
        }
    }

    /// Returns the number of bytes of the scalar at an offset, negative if no token has it.
    static func length(ofPartAt index: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
        let first = text[index]
        if first < 0x80 { return isPartOfToken(Unicode.Scalar(first)) ? 1 : -1 }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard index + length <= text.count else { return -1 }
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for offset in 1..<length { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
        return Unicode.Scalar(value).map(isPartOfToken) == true ? length : -length
    }

    /// Whether tokens have a scalar of a text, folded or not.
    static func isPartOfToken(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 {
            let byte = UInt8(scalar.value)
            return byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            return true
        default:
            return false
        }
    }
}
