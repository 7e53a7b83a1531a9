/// A search as people write it into a search box: words that all occur, and phrases in quotation marks.
///
/// ```swift
/// let search = SearchText("anvil rop")
/// search.ranges(in: "Anvil with 2 Ropes")   // of "Anvil" and "Rop"
/// ```
///
/// - Every word must occur, in any order and, if several fields are searched, in any of them.
/// - The last word may be the beginning of a word, as long as nothing follows it: not even a space.
/// - Words in quotation marks, straight or curly, must stand side by side in one field. A mark that is not closed yet
///   encloses the rest.
/// - Case and accents do not count, and signs between words separate them, see ``SearchTokens``.
/// - A search without a word, such as an empty search box, matches every record.
/// - A search has ``maximumWords`` words at most. Later ones are ignored.
///
/// ``Filter/search(_:)`` finds records, and ``Sort/relevance`` orders them.
public struct SearchText: Sendable, Hashable {
    /// The search as it was written.
    public let text: String

    /// The words, folded, one after the other.
    let letters: [UInt8]
    /// The offset of each word in ``letters``, and the end of the last one.
    let bounds: [Int]
    /// The words that begin a term, which is a phrase or a word outside of phrases: a bit for each.
    let starts: UInt64
    /// The words that end a term.
    let ends: UInt64
    /// The word that may be the beginning of another; no bit if none may.
    let unfinished: UInt64

    /// The largest number of words of a search: 64.
    public static let maximumWords = 64

    /// Reads a search.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public init(_ text: String) {
        var (letters, bounds, starts, ends) = ([UInt8](), [0], UInt64(0), UInt64(0))
        var isWhole = true
        let parts = text.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: Self.isQuotationMark)
        for (number, part) in parts.enumerated() {
            let isPhrase = !number.isMultiple(of: 2)
            let tokens = SearchTokens.tokens(in: String(part))
            for (index, token) in tokens.enumerated() {
                guard bounds.count <= Self.maximumWords else {
                    isWhole = false
                    break
                }
                let bit = UInt64(1) << (bounds.count - 1)
                if !isPhrase || index == 0 { starts |= bit }
                // A phrase that is cut off ends with its last word that is left.
                if !isPhrase || index == tokens.count - 1 || bounds.count == Self.maximumWords { ends |= bit }
                letters += token.utf8
                bounds.append(letters.count)
            }
        }
        self.text = text
        self.letters = letters
        self.bounds = bounds
        self.starts = starts
        self.ends = ends
        let isUnfinished =
            isWhole && bounds.count > 1 && text.unicodeScalars.last.map(SearchTokens.isPartOfToken) == true
        unfinished = isUnfinished ? 1 << (bounds.count - 2) : 0
    }

    /// Whether the search has no word, so that it matches every record.
    public var isEmpty: Bool { bounds.count == 1 }

    /// The words of the search in their order, folded, and whether each may be the beginning of another word.
    package var words: [(text: String, isUnfinished: Bool)] {
        zip(bounds, bounds.dropFirst()).enumerated().map { index, word in
            (String(decoding: letters[word.0..<word.1], as: UTF8.self), unfinished & 1 << index != 0)
        }
    }

    /// The words that must stand side by side, and words outside of phrases alone.
    package var terms: [[(text: String, isUnfinished: Bool)]] {
        var terms: [[(text: String, isUnfinished: Bool)]] = []
        for (index, word) in words.enumerated() {
            if starts & 1 << index != 0 { terms.append([]) }
            terms[terms.count - 1].append(word)
        }
        return terms
    }

    /// Whether words must stand side by side.
    package var hasPhrases: Bool { starts != ends }

    private static func isQuotationMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "\u{201C}", "\u{201D}", "\u{201E}", "\u{AB}", "\u{BB}": true
        default: false
        }
    }
}
