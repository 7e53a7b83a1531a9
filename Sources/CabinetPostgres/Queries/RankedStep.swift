import Cabinet
import SQLSupport

/// A part of the records that a search finds, in the order of their relevance.
///
/// The relevance of a record depends first on whether the last word is whole, then on whether a text begins with the first word. The
/// index knows both. So the statements of a page read the rows part by part, from the most relevant ones on, until the page is full.
struct RankedStep {
    /// The query of the index of words for the part; empty for all records found.
    let query: String
    /// The least points of a record in the part.
    let least: Int64

    /// Returns the parts of the records in the order of their relevance to a search.
    static func steps(of search: SearchText, _ databaseID: Int64) -> [RankedStep] {
        let words = search.words
        let finished = Int64(words.count { !$0.isUnfinished })
        let beginning = PostgresDialect.beginning(of: search, databaseID).map { [$0] } ?? []
        func steps(_ queries: [String], whole: Int64) -> [RankedStep] {
            let points = SearchText.Points.word * whole
            return [
                RankedStep(
                    query: (beginning + queries).joined(separator: " & "), least: points + SearchText.Points.beginning),
                RankedStep(query: queries.joined(separator: " & "), least: points),
            ]
        }
        var all: [RankedStep] = []
        if finished < words.count, let word = words.last.flatMap({ SearchWords.stored($0.text, databaseID) }) {
            all += steps([SearchWords.quoted(word)], whole: finished + 1)
        }
        return all + steps([], whole: finished)
    }
}
