extension SearchText {
    /// Returns the parts of a text that the search found, to be highlighted.
    ///
    /// ```swift
    /// for range in SearchText(text).ranges(in: contact.name) {
    ///     highlight(contact.name[range])
    /// }
    /// ```
    ///
    /// A word of the search is found wherever it occurs, also if others do not: they may be in other fields. A phrase is
    /// one part, from its first word to its last. Of a word that the last word of the search begins, the beginning alone
    /// is a part.
    ///
    /// - Parameter text: The text of a field.
    /// - Returns: The ranges in their order; they do not overlap.
    /// - Complexity: O(*n* · *m*) in the length of the text and the number of the search's words.
    public func ranges(in text: String) -> [Range<String.Index>] {
        let found = Self.words(of: text)
        let folded = found.map { Self.folded(text[$0]) }
        var ranges: [Range<String.Index>] = []
        for term in terms where term.count <= found.count {
            for start in 0...(found.count - term.count) {
                guard let end = end(of: term, folded[start..<(start + term.count)], found, in: text) else { continue }
                ranges.append(found[start].lowerBound..<end)
            }
        }
        return Self.merged(ranges)
    }

    /// Returns the end of a term that begins with a word of a text; `nil` if other words follow there.
    private func end(
        of term: [(text: String, isUnfinished: Bool)], _ words: ArraySlice<String>, _ ranges: [Range<String.Index>],
        in text: String
    ) -> String.Index? {
        for (word, other) in zip(term, words) where word.text != other {
            guard word.isUnfinished, other.utf8.starts(with: word.text.utf8) else { return nil }
            return Self.end(ofPrefix: word.text, in: text[ranges[words.endIndex - 1]])
        }
        return ranges[words.endIndex - 1].upperBound
    }

    /// Returns the end of the shortest beginning of a word that has a folded prefix.
    private static func end(ofPrefix prefix: String, in word: Substring) -> String.Index {
        var length = 0
        for index in word.indices {
            length += folded(word[index...index]).utf8.count
            if length >= prefix.utf8.count { return word.index(after: index) }
        }
        return word.endIndex
    }

    private static func folded(_ text: Substring) -> String {
        String(text).folded([.caseInsensitive, .diacriticInsensitive])
    }

    /// Returns the ranges of a text's words.
    private static func words(of text: String) -> [Range<String.Index>] {
        var words: [Range<String.Index>] = []
        var start: String.Index?
        for index in text.unicodeScalars.indices {
            if SearchTokens.isPartOfToken(text.unicodeScalars[index]) {
                start = start ?? index
            } else if let begin = start {
                words.append(begin..<index)
                start = nil
            }
        }
        if let start { words.append(start..<text.endIndex) }
        return words
    }

    /// Returns the ranges in order, with those that overlap joined.
    private static func merged(_ ranges: [Range<String.Index>]) -> [Range<String.Index>] {
        var merged: [Range<String.Index>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound < last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}
