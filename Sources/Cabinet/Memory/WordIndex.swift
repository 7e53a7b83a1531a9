/// The words in the searchable fields of one record type.
///
/// Saves do not update the index. It has the words of one state of the type's records, and each search first takes over what
/// differs in the state that it reads. So it is exact for every snapshot and within a transaction, and a search that repeats
/// pays for nothing but the search.
struct WordIndex: Sendable {
    /// The fields that are indexed.
    let fields: [Record.FieldKey]
    /// The state of the type that the index has.
    private var table = SortedMap<Int64, StoredRecord>()
    /// The records by their numbers in the index, `nil` where a record was changed or deleted.
    private(set) var records: [StoredRecord?] = []
    /// The numbers of bytes of the records' texts.
    private(set) var lengths: [Int] = []
    /// The numbers of the records in the index, by their insertion numbers.
    private var numbers: [Int64: UInt32] = [:]
    /// The number of records whose words are in the index.
    private var readCount = 0
    /// The numbers of the records that have a word or a ``mark(_:)``, including those of records that were changed or deleted.
    private var words = SortedMap<Word, [UInt32]>()

    /// Creates an index without records.
    init(fields: [Record.FieldKey]) {
        self.fields = fields
    }

    /// Takes over the records of a state, and reads some of their texts.
    ///
    /// - Returns: Whether no text is left to be read by the next call.
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the work of the request is spent. The index is usable after that.
    mutating func readTexts(of table: SortedMap<Int64, StoredRecord>) throws -> Bool {
        follow(table)
        return try readTexts()
    }

    /// Returns the records that may match a search.
    ///
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the work of the request is spent.
    func records(matching search: WordSearch) throws -> [StoredRecord] {
        try numbers(matching: search).elements.compactMap { records[$0] }
    }

    /// Returns the records that may match a plan, from the most relevant ones on.
    ///
    /// - Parameters:
    ///   - search: The words that the plan's records have.
    ///   - ranked: The search that orders the records.
    ///   - position: The position of the record after which the page begins.
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the work of the request is spent.
    func records(
        matching search: WordSearch, orderedBy ranked: PlannedSearch, after position: QueryPosition?
    ) throws -> RankedRecords {
        let (words, points) = (ranked.text.words, SearchText.Points.self)
        var rest = try numbers(matching: search)
        var parts: [RankedRecords.Part] = []
        let beginning = try numbers(
            matching: .word(Self.mark(words[0].text), isUnfinished: words[0].isUnfinished))
        func add(_ numbers: NumberSet, whole: Int) {
            let least = points.word * Int64(whole)
            parts.append((numbers.intersection(beginning), least + points.beginning))
            parts.append((numbers.subtracting(beginning), least))
        }
        if let last = words.last, last.isUnfinished {
            let whole = try numbers(matching: .word(last.text, isUnfinished: false))
            add(rest.intersection(whole), whole: words.count)
            rest = rest.subtracting(whole)
            add(rest, whole: words.count - 1)
        } else {
            add(rest, whole: words.count)
        }
        return RankedRecords(ranked, in: self, parts: parts, after: position)
    }

    /// Returns the form under which the first word of a text is stored again.
    private static func mark(_ word: String) -> String { "^\(word)" }

    private mutating func follow(_ table: SortedMap<Int64, StoredRecord>) {
        let (removed, added) = table.difference(from: self.table)
        // Most of the index would be of records that no longer exist.
        if records.count + added.count > 2 * table.count + 1024 {
            self = WordIndex(fields: fields)
            return follow(table)
        }
        self.table = table
        for record in removed {
            if let number = numbers.removeValue(forKey: record.insertionNumber) { records[Int(number)] = nil }
        }
        for record in added {
            numbers[record.insertionNumber] = UInt32(records.count)
            records.append(record)
            lengths.append(0)
        }
    }

    /// Reads the texts of some records that are new to the index; returns whether none is left.
    ///
    /// The limit keeps other searches from waiting long: they go on with what this one leaves.
    private mutating func readTexts() throws -> Bool {
        for number in (readCount..<records.count).prefix(500) {
            if let record = records[number] {
                // An earlier call may have read a part of the texts.
                lengths[number] = 0
                for key in fields {
                    guard case .string(let text)? = record.fields[key] else { continue }
                    try WorkMeter.spend(text.utf8.count)
                    lengths[number] += text.utf8.count
                    let tokens = SearchTokens.tokens(in: text)
                    for token in tokens + tokens.prefix(1).map(Self.mark) {
                        words.update(Word(token), default: []) { numbers in
                            if numbers.last != UInt32(number) { numbers.append(UInt32(number)) }
                        }
                    }
                }
            }
            readCount = number + 1
        }
        return readCount == records.count
    }

    /// Returns the numbers of the records that may match.
    private func numbers(matching search: WordSearch) throws -> NumberSet {
        try WorkMeter.current?.spend(1 + records.count / 64)
        switch search {
        case .word(let text, let isUnfinished):
            var found = NumberSet(limit: records.count)
            let word = Word(text)
            for (other, numbers) in words.elements(from: word) {
                guard isUnfinished ? other.text.utf8.starts(with: text.utf8) : other == word else { break }
                try WorkMeter.spend(numbers.count / 8)
                found.insert(numbers)
            }
            return found
        case .all(let parts):
            guard let first = parts.first else { return NumberSet(limit: records.count) }
            return try parts.dropFirst().reduce(numbers(matching: first)) {
                $0.intersection(try numbers(matching: $1))
            }
        case .any(let parts):
            return try parts.reduce(NumberSet(limit: records.count)) { $0.union(try numbers(matching: $1)) }
        }
    }
}

/// A word in the order of its bytes.
private struct Word: Sendable, Comparable {
    let text: String
    /// The first bytes as a number, which decides most comparisons.
    private let beginning: UInt64

    init(_ text: String) {
        self.text = text
        beginning = text.utf8.prefix(8).enumerated().reduce(0) { $0 | UInt64($1.element) << (56 - 8 * $1.offset) }
    }

    static func < (left: Self, right: Self) -> Bool {
        if left.beginning != right.beginning { return left.beginning < right.beginning }
        return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    static func == (left: Self, right: Self) -> Bool {
        left.beginning == right.beginning && left.text.hasSameScalars(as: right.text)
    }
}
