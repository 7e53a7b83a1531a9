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
        let folded = text.folded([.caseInsensitive, .diacriticInsensitive])
        let scalars = folded.unicodeScalars
        var tokens: [String] = []
        var start: String.Index?
        for index in scalars.indices {
            if isPartOfToken(scalars[index]) {
                if start == nil { start = index }
            } else if let begin = start {
                tokens.append(String(folded[begin..<index]))
                start = nil
            }
        }
        if let start { tokens.append(String(folded[start...])) }
        return tokens
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
