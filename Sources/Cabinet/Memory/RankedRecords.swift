/// The records of a search from the most relevant ones on, see ``Sort/relevance``.
///
/// An index of words knows the parts of the relevance that outweigh the others: whether the last word is whole, and whether
/// a text begins with the first word. So only those parts of the records are sorted that the page reads.
struct RankedRecords {
    /// Records whose points are the given ones, and those for neighbors and brevity.
    typealias Part = (numbers: NumberSet, points: Int64)

    private let search: PlannedSearch
    private let index: WordIndex
    /// The points of the record after which the page begins.
    private let limit: Int64
    /// The parts that are not read yet.
    private var parts: ArraySlice<Part>
    /// The records of the current part in their order, as the lower half of a number.
    private var part: [UInt64] = []
    private var nextPlace = 0

    /// Creates a sequence.
    ///
    /// - Parameters:
    ///   - parts: The parts, the most relevant first.
    ///   - position: The position of the record after which the page begins.
    init(_ search: PlannedSearch, in index: WordIndex, parts: [Part], after position: QueryPosition?) {
        self.search = search
        self.index = index
        self.parts = parts[...]
        limit = if case .int64(let points)?? = position?.values.first { points } else { .max }
    }

    /// Returns the next record; `nil` after the last one.
    ///
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the work of the request is spent, and
    ///   ``CabinetError/Code/operationCancelled``.
    mutating func next() throws -> StoredRecord? {
        while nextPlace == part.count {
            guard let next = parts.popFirst() else { return nil }
            part = next.points < limit ? try sorted(next) : []
            nextPlace = 0
        }
        defer { nextPlace += 1 }
        return index.records[Int(part[nextPlace] & UInt64(UInt32.max))]
    }

    private func sorted(_ part: Part) throws -> [UInt64] {
        let isOneWord = search.text.words.count == 1
        let greatest = part.points + SearchText.Points.neighbors * Int64(SearchText.maximumWords + 1)
        var sorted: [UInt64] = []
        for number in part.numbers.elements {
            guard let record = index.records[number] else { continue }
            try WorkMeter.spend(1)
            let points =
                isOneWord
                ? part.points + SearchText.Points.brevity(of: index.lengths[number]) : try relevance(of: record)
            guard points > 0, points <= limit else { continue }
            sorted.append(UInt64(clamping: greatest - points) << 32 | UInt64(number))
        }
        sorted.sort()
        return sorted
    }

    private func relevance(of record: StoredRecord) throws -> Int64 {
        var scan = SearchScan(search.text)
        for key in search.keys {
            if case .string(let text)? = record.fields[key] { try scan.read(text) }
        }
        return scan.relevance
    }
}
