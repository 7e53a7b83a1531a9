import Cabinet
import SQLSupport

/// The queries by which ``RankedPage`` reads the rows of a search, the best first.
///
/// The index of ``SearchWords`` knows whether the last word is whole, whether a text begins with the first one, and how long the texts are.
struct RankedQueries {
    struct Step {
        /// A query that finds all records of the step, and is used if it finds few; `nil` if that takes long to know.
        var few: String?
        /// The queries otherwise.
        let parts: [Part]

        /// The least points of the step's records.
        var least: Int64 { parts.last?.least ?? 1 }
    }

    /// A query of the index, and the least points of the records that it finds and no earlier one has found.
    struct Part {
        let query: String
        let least: Int64
    }

    private(set) var steps: [Step] = []
    private let databaseID: Int64
    private let isOneWord: Bool

    /// Divides a search that has words.
    ///
    /// - Returns: `nil` if the index nowhere holds words of such a length.
    init?(_ search: SearchText, _ databaseID: Int64) {
        self.databaseID = databaseID
        let words = search.words
        isOneWord = words.count == 1
        if words.contains(where: { SearchWords.stored($0.text, databaseID) == nil }) { return nil }
        let finished = words.filter { !$0.isUnfinished }
        let isUnfinished = finished.count < words.count
        if isUnfinished {
            let whole = words.map { (text: $0.text, isUnfinished: false) }
            let least = SearchText.Points.word * Int64(words.count)
            addBeginnings(words[0], and: isOneWord ? whole : Array(whole.dropFirst()), points: least)
            steps.append(Step(parts: [Part(query: query(whole), least: least)]))
        }
        let least = SearchText.Points.word * Int64(finished.count)
        addBeginnings(words[0], and: Array(finished.dropFirst()), points: least)
        // Reading few rows takes less time than the index needs for the beginning of a word.
        let few = isUnfinished && !finished.isEmpty ? query(finished) : nil
        steps.append(Step(few: few, parts: [Part(query: query(words), least: 1)]))
    }

    typealias Word = (text: String, isUnfinished: Bool)

    /// Returns the queries for the rows with a text that begins with a word, by the length of the texts.
    static func marks(_ word: Word, _ databaseID: Int64) -> [String] {
        SearchWords.lengthClasses.map { lengthClass in
            SearchWords.quoted(SearchWords.mark(word.text, lengthClass: lengthClass, databaseID))
                + (word.isUnfinished ? ":*" : "")
        }
    }

    /// Adds the step to the records with a text that begins with the first word.
    ///
    /// - Parameters:
    ///   - others: Other words that the records have. Whether they have the rest, their texts show.
    ///   - points: The points for the records' whole words.
    private mutating func addBeginnings(_ first: Word, and others: [Word], points: Int64) {
        let points = points + SearchText.Points.beginning
        let others = others.map(term)
        func query(_ marks: [String]) -> String {
            (["(\(marks.joined(separator: " | ")))"] + others).joined(separator: " & ")
        }
        let marks = Self.marks(first, databaseID)
        guard isOneWord else {
            steps.append(Step(parts: [Part(query: query(marks), least: points)]))
            return
        }
        let parts = zip(SearchWords.lengthClasses, marks).map { lengthClass, mark in
            let brevity = SearchWords.greatestLength(of: lengthClass).map(SearchText.Points.brevity) ?? 0
            return Part(query: query([mark]), least: points + brevity)
        }
        let few = others.first ?? (first.isUnfinished ? nil : query(marks))
        steps.append(Step(few: few, parts: parts))
    }

    private func query(_ words: [Word]) -> String { words.map(term).joined(separator: " & ") }

    private func term(_ word: Word) -> String {
        SearchWords.quoted("\(databaseID):\(word.text)") + (word.isUnfinished ? ":*" : "")
    }
}
