extension Sort.Options {
    /// Returns the text that a text is ordered by under the options.
    ///
    /// The keys of two texts, compared scalar by scalar, have the order of the texts. A backend that sorts by itself
    /// must use it. Texts with the same key are equal in the order. With ``numeric``, the key of `file 9` comes before
    /// that of `file 10`, and equals that of `file 09`.
    ///
    /// - Parameter text: The text of a field.
    /// - Returns: A text with a NUL only where the original has one.
    /// - Complexity: O(*n* log *n*) in the length of the text; O(*n*) if it has no long run of combining marks.
    public func key(of text: String) -> String {
        let folded = filterOptions.folded(text)
        return contains(.numeric) ? Self.withComparableNumbers(folded) : folded
    }

    private var filterOptions: Filter.Options {
        var options: Filter.Options = []
        if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return options
    }

    /// Prefixes each number with the count of its digits, so that the longer of two numbers is the greater one.
    ///
    /// A zero precedes the count, so that numbers keep their position among other characters.
    private static func withComparableNumbers(_ text: String) -> String {
        let bytes = text.utf8
        guard bytes.contains(where: \.isDigit) else { return text }
        var key = ""
        var rest = text[...]
        while let start = rest.utf8.firstIndex(where: \.isDigit) {
            key += rest[..<start]
            let end = rest.utf8[start...].firstIndex { !$0.isDigit } ?? rest.endIndex
            let digits = rest[start..<end].utf8.drop { $0 == UInt8(ascii: "0") }
            key.unicodeScalars.append("0")
            appendLength(digits.count, to: &key.unicodeScalars)
            key += rest[digits.startIndex..<end]
            rest = rest[end...]
        }
        return key + rest
    }

    /// Appends scalars that compare as lengths do.
    ///
    /// One scalar suffices for nearly all lengths.
    private static func appendLength(_ length: Int, to key: inout String.UnicodeScalarView) {
        // The last scalar is below the one that announces more, and that one is below the surrogates.
        let more = 0xD000
        var length = length
        while length >= more - 1 {
            if let scalar = Unicode.Scalar(UInt32(more)) { key.append(scalar) }
            length -= more - 1
        }
        if let scalar = Unicode.Scalar(UInt32(length + 1)) { key.append(scalar) }
    }
}
