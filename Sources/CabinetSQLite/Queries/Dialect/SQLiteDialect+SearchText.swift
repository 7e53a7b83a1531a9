import Cabinet
import SQLSupport

/// Searches as people write them: FTS5 finds words and beginnings of words, and a function reads phrases and computes the
/// relevance.
extension SQLiteDialect {
    static func isIndexed(_ search: SearchText, _ translator: inout Translator) -> SQLTest? {
        candidates(search, &translator).map { SQLTest($0) }
    }

    static func candidates(_ search: SearchText, _ translator: inout Translator) -> SQLCondition? {
        let words = search.words
        guard let index = translator.terms.table.words, words.allSatisfy({ $0.text.utf8.count <= maximumWordLength })
        else { return nil }
        let query = words.map { quoted($0.text) + ($0.isUnfinished ? "*" : "") }.joined(separator: " AND ")
        return isFound(query, by: index, &translator)
    }

    static func isFound(_ search: SearchText, in texts: [SQLTerm], _ translator: inout Translator) -> SQLTest? {
        guard let term = relevance(to: search, texts, &translator.builder) else { return nil }
        return term.test("\(term.text) > 0")
    }

    static func relevance(
        to searches: [PlannedSearch], _ terms: RowTerms, _ builder: inout SQLBuilder
    ) -> SQLTerm? {
        var points: [SQLTerm] = []
        for search in searches {
            var texts: [SQLTerm] = []
            for key in search.keys {
                switch terms.meaning(of: key) {
                case .term(let term) where term.kind == .text: texts.append(term)
                case .nothing: continue
                default: return nil
                }
            }
            guard let term = relevance(to: search.text, texts, &builder) else { return nil }
            points.append(term)
        }
        guard let depth = points.map(\.depth).max() else { return nil }
        return SQLTerm(
            text: "(\(points.map(\.text).joined(separator: " + ")))", type: .int64, depth: depth + points.count)
    }

    /// The largest number of texts of a call, below SQLite's limit of arguments.
    private static let maximumTexts = 90

    /// Returns the call of the function that reads texts.
    private static func relevance(to search: SearchText, _ texts: [SQLTerm], _ builder: inout SQLBuilder) -> SQLTerm? {
        guard texts.count <= maximumTexts else { return nil }
        let arguments = [builder.parameter(.text(search.text))] + texts.map(\.text)
        return SQLTerm(
            text: "cabinet_relevance(\(arguments.joined(separator: ", ")))", type: .int64,
            depth: (texts.map(\.depth).max() ?? 0) + 2)
    }
}
