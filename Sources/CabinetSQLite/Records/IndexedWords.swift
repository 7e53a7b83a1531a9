import Cabinet

/// The words of a record as its full-text index stores them: each once, and the first word of each text again, as a mark.
///
/// A mark consists of `^`, the class of the length of all texts, and the word: `^danvil`. So a search for marks finds the
/// records with a text that begins with a word, or with a part of it, the shortest records first. See ``RankedPage``.
enum IndexedWords {
    /// The classes of length: two for each power of two, and one without an end.
    static let lengthClasses = 0...33

    /// Returns the words of several texts, and their marks.
    ///
    /// - Parameter layout: The layout of the file; marks begin with layout 9.
    static func stored(_ texts: [FieldValue?], layout: Int64 = Layout.version) -> [String] {
        var (words, beginnings, length) = ([String](), [String](), 0)
        for case .string(let text)? in texts {
            let tokens = SearchTokens.tokens(in: text)
            length += text.utf8.count
            words += tokens
            if let first = tokens.first { beginnings.append(first) }
        }
        let lengthClass = lengthClass(of: length)
        if layout >= 9 { words += beginnings.map { mark($0, lengthClass: lengthClass) } }
        var seen = Set<String>(minimumCapacity: words.count)
        return words.filter { seen.insert($0).inserted }
    }

    /// Returns the mark of a word, or of the beginning of one.
    static func mark(_ word: String, lengthClass: Int) -> String { "^\(String(lengthClass, radix: 36))\(word)" }

    /// Returns the class of a number of bytes.
    static func lengthClass(of length: Int) -> Int {
        guard length > 1 else { return lengthClasses.lowerBound }
        let exponent = Int.bitWidth - 1 - length.leadingZeroBitCount
        return min(2 * exponent + (length >> (exponent - 1) & 1), lengthClasses.upperBound)
    }

    /// Returns the largest number of bytes of a class; `nil` for the last one.
    static func greatestLength(of lengthClass: Int) -> Int? {
        guard lengthClass < lengthClasses.upperBound else { return nil }
        // The next class begins at a power of two, or at the middle between two of them. Class 1 has no lengths.
        let (exponent, half) = (lengthClass + 1).quotientAndRemainder(dividingBy: 2)
        return max(2, ((2 + half) << exponent) / 2) - 1
    }
}
