import Cabinet

/// The queries of a full-text index that find the records of a search, from the most relevant ones on.
///
/// The relevance of a record depends first on whether the last word is whole, then on whether a text begins with the first word. The
/// index knows both, see ``IndexedWords``. A search for one word has no neighbors, so the index knows the next part too: the length.
struct RankedSteps {
    /// A query, and the least points of the records that it finds and no earlier one has found.
    struct Step {
        let query: String
        let least: Int64
    }

    /// Steps, or a single one if the index finds few records.
    struct Group {
        /// The step if the index finds few records by its query; `nil` if counting them takes long.
        let few: Step?
        /// The steps otherwise.
        let many: [Step]
        /// Whether the single step finds the records of the later groups too.
        let fewAreAll: Bool
    }

    let groups: [Group]

    /// Divides a search that has words.
    init(_ search: SearchText) {
        let words = search.words
        let finished = words.filter { !$0.isUnfinished }
        let all = Self.query(words)
        guard finished.count < words.count else {
            let last = Step(query: all, least: 1)
            let steps = Self.beginnings(words, required: finished, whole: words.count) + [last]
            groups = [Group(few: last, many: steps, fewAreAll: true)]
            return
        }
        let whole = words.map { (text: $0.text, isUnfinished: false) }
        let last = Step(query: Self.query(whole), least: SearchText.Points.word * Int64(words.count))
        var groups = [
            Group(
                few: last, many: Self.beginnings(words, required: whole, whole: words.count) + [last], fewAreAll: false),
            Group(
                few: nil,
                many: Self.beginnings(words, required: finished, whole: finished.count) + [Step(query: all, least: 1)],
                fewAreAll: true),
        ]
        if !finished.isEmpty {
            // Reading few texts takes less time than FTS5 needs for an unfinished word.
            let few = Step(query: Self.query(finished), least: 1)
            groups.insert(Group(few: few, many: [], fewAreAll: true), at: 0)
        }
        self.groups = groups
    }

    private typealias Word = (text: String, isUnfinished: Bool)

    /// Returns the steps to the records with a text that begins with the first word of a search.
    ///
    /// - Parameters:
    ///   - required: The words that the records have. Whether they have the unfinished word, their texts show.
    ///   - whole: The number of the records' whole words.
    private static func beginnings(_ words: [Word], required: [Word], whole: Int) -> [Step] {
        let first = words[0]
        // A text that begins with a whole word has it.
        let others = query(first.isUnfinished ? required : Array(required.dropFirst()))
        let points = SearchText.Points.word * Int64(whole) + SearchText.Points.beginning
        let marks = IndexedWords.lengthClasses.map { lengthClass in
            let mark = IndexedWords.mark(first.text, lengthClass: lengthClass)
            return (lengthClass, term((mark, first.isUnfinished)))
        }
        let end = others.isEmpty ? "" : " AND \(others)"
        guard words.count == 1 else {
            return [Step(query: "(\(marks.map(\.1).joined(separator: " OR ")))\(end)", least: points)]
        }
        return marks.map { lengthClass, mark in
            let length = IndexedWords.greatestLength(of: lengthClass)
            return Step(query: mark + end, least: points + (length.map(SearchText.Points.brevity) ?? 0))
        }
    }

    private static func query(_ words: [Word]) -> String { words.map(term).joined(separator: " AND ") }

    private static func term(_ word: Word) -> String {
        SQLiteDialect.quoted(word.text) + (word.isUnfinished ? "*" : "")
    }
}
