/// The words of a search that the texts of one record have.
///
/// The texts are read once, without a copy of their words. Each word of the search is a bit.
package struct SearchScan {
    private let search: SearchText
    /// The words that occur.
    private var whole: UInt64 = 0
    /// The words that stand after the one before them in the search.
    private var adjacent: UInt64 = 0
    /// The last words of the terms that occur.
    private var completed: UInt64 = 0
    /// Whether a text begins with the first word.
    private var isFirst = false
    /// The number of bytes of the texts.
    private var length = 0

    package init(_ search: SearchText) { self.search = search }

    /// Begins with another record.
    package mutating func restart() { (whole, adjacent, completed, isFirst, length) = (0, 0, 0, false, 0) }

    /// Whether all terms of the search occur.
    var isComplete: Bool { completed == search.ends }

    /// The points of the texts, see ``Sort/relevance``; 0 if a term does not occur, and at least 1 if all do.
    package var relevance: Int64 {
        guard isComplete, !search.isEmpty else { return 0 }
        return SearchText.Points.word * Int64(whole.nonzeroBitCount) + (isFirst ? SearchText.Points.beginning : 0)
            + SearchText.Points.neighbors * Int64(adjacent.nonzeroBitCount) + SearchText.Points.brevity(of: length)
    }

    /// Reads the next text of the record.
    ///
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the work of the request is spent.
    mutating func read(_ text: String) throws(CabinetError) {
        try begin(text.utf8.count)
        var text = text
        if text.withUTF8({ readASCII($0) }) { return }
        readOthers(text)
    }

    /// Reads the next text of the record, given as UTF-8.
    ///
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the work of the request is spent.
    package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(CabinetError) {
        try begin(bytes.count)
        if !readASCII(bytes) { readOthers(String(decoding: bytes, as: UTF8.self)) }
    }

    /// Spends the work of a text, and adds its length.
    private mutating func begin(_ count: Int) throws(CabinetError) {
        try WorkMeter.spend(count * (1 + search.bounds.count / 8))
        length += count
    }

    /// Reads a text of ASCII.
    ///
    /// - Returns: Whether the text is one.
    private mutating func readASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return false }
        readFolded(bytes)
        return true
    }

    /// Reads a text with other characters than those of ASCII.
    private mutating func readOthers(_ text: String) {
        var folded = text.folded([.caseInsensitive, .diacriticInsensitive])
        folded.withUTF8 { readFolded($0) }
    }

    /// Reads a folded text, or one of ASCII whose case is folded here.
    private mutating func readFolded(_ text: UnsafeBufferPointer<UInt8>) {
        var (index, isStart) = (0, true)
        var before: UInt64 = 0
        var chain: UInt64 = 0
        while index < text.count {
            let length = SearchTokens.length(ofPartAt: index, in: text)
            guard length > 0 else {
                index -= length
                continue
            }
            let start = index
            index += length
            while index < text.count {
                let length = SearchTokens.length(ofPartAt: index, in: text)
                if length <= 0 { break }
                index += length
            }
            let matches = matches(text, from: start, to: index)
            if isStart, matches & 1 != 0 { isFirst = true }
            isStart = false
            adjacent |= matches & before << 1
            chain = matches & (search.starts | chain << 1)
            completed |= chain & search.ends
            before = matches
        }
    }

    /// Returns the words of the search that a word of a text equals, or begins with.
    private mutating func matches(_ text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> UInt64 {
        let (length, first) = (end - start, Self.folded(text[start]))
        return search.letters.withUnsafeBufferPointer { letters in
            var matches: UInt64 = 0
            var from = 0
            for index in 1..<search.bounds.count {
                let to = search.bounds[index]
                defer { from = to }
                let bit = UInt64(1) << (index - 1)
                guard letters[from] == first, to - from == length || to - from < length && search.unfinished & bit != 0
                else { continue }
                var offset = 1
                while from + offset < to, letters[from + offset] == Self.folded(text[start + offset]) { offset += 1 }
                guard from + offset == to else { continue }
                matches |= bit
                if to - from == length { whole |= bit }
            }
            return matches
        }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension SearchText {
    /// The parts of a record's relevance, see ``Sort/relevance``.
    ///
    /// A part outweighs all those below it together, so that an index can find the records with a part before the others.
    package enum Points {
        /// The points for a word of the search that occurs as a whole word.
        package static let word: Int64 = 100_000_000
        /// The points for a field that begins with the first word.
        package static let beginning: Int64 = 10_000_000
        /// The points for two neighbors of the search that are neighbors in a field.
        package static let neighbors: Int64 = 100_000

        /// Returns the points of texts with a number of bytes of UTF-8.
        package static func brevity(of length: Int) -> Int64 { max(1, 100_000 - Int64(length)) }
    }

    /// Returns the relevance of a record with some texts in its searched fields, see ``Sort/relevance``.
    ///
    /// - Returns: 0 if not all words occur, or if the search has none.
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the work of the current request is spent.
    /// - Complexity: O(*n* · *m*) in the length of the texts and the number of the search's words.
    public func relevance(of texts: [String]) throws -> Int64 {
        var scan = SearchScan(self)
        for text in texts { try scan.read(text) }
        return scan.relevance
    }
}
