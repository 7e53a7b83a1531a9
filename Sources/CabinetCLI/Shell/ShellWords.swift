import TerminalProgram

/// The words of a line, with the quotes of a shell: nothing is replaced in them.
enum ShellWords {
    /// Splits a line at blanks outside quotes.
    static func split(_ line: String) throws(CommandError) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var isEscaped = false
        // By scalars: a quote beside a combining mark is a part of another letter.
        for character in line.unicodeScalars {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.properties.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else if character == "#", word == nil {
                return words
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let quote { throw .usage("The line has no closing \(quote).") }
        if let word { words.append(word) }
        return words
    }
}
