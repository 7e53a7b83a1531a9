import Cabinet
import SQLSupport

/// Searches as people write them: FTS5 finds words and beginnings of words, and a function reads phrases and computes the
/// relevance.
extension SQLiteDialect {
    static func isIndexed(_ search: SearchText, _ translator: inout Translator) -> SQLTest? {
        guard let found = found(search, &translator) else { return nil }
        guard let isExact = found.isExact else { return SQLTest(found.rows) }
        return isFound(search, in: found.texts, &translator).map { isRead in
            SQLTest(.all([found.rows, .any([isExact, isRead.condition])]))
        }
    }

    static func candidates(_ search: SearchText, _ translator: inout Translator) -> SQLCondition? {
        found(search, &translator)?.rows
    }

    /// The rows that the index finds.
    private struct Found {
        let rows: SQLCondition
        /// The condition that the rows have the unfinished word too; `nil` if they always do.
        var isExact: SQLCondition?
        /// The indexed texts, which decide otherwise.
        var texts: [SQLTerm] = []
    }

    /// The number of rows whose texts are read in about the time that FTS5 needs for an unfinished word.
    static let fewRows = 1000

    /// Returns the condition that the index finds a row.
    ///
    /// For an unfinished word, FTS5 reads the rows of every word that begins with it, even if the other words of the search have
    /// few rows: 13 ms for one letter among 60,000 texts. If they have few rows, it searches for those words alone.
    private static func found(_ search: SearchText, _ translator: inout Translator) -> Found? {
        let words = search.words
        guard let index = translator.terms.table.words, words.allSatisfy({ $0.text.utf8.count <= maximumWordLength })
        else { return nil }
        func query(_ words: [(text: String, isUnfinished: Bool)]) -> String {
            let text = words.map { quoted($0.text) + ($0.isUnfinished ? "*" : "") }.joined(separator: " AND ")
            return translator.builder.parameter(.text(text))
        }
        let all = query(words)
        let finished = words.filter { !$0.isUnfinished }
        let texts = index.fields.compactMap { key -> SQLTerm? in
            if case .term(let term) = translator.terms.meaning(of: key) { term } else { nil }
        }
        guard !finished.isEmpty, finished.count < words.count, texts.count <= maximumTexts else {
            return Found(rows: isFound(all, by: index, &translator))
        }
        let few = query(finished)
        let count = "SELECT 1 FROM \(index.quoted) WHERE \(index.quoted) MATCH \(few) LIMIT \(fewRows)"
        let isExact = "(SELECT count(*) FROM (\(count))) = \(fewRows)"
        return Found(
            rows: isFound("CASE WHEN \(isExact) THEN \(all) ELSE \(few) END", by: index, &translator),
            isExact: .sql(isExact, depth: 3), texts: texts)
    }

    static func isFound(_ search: SearchText, in texts: [SQLTerm], _ translator: inout Translator) -> SQLTest? {
        guard let term = relevance(to: search, texts, &translator.builder) else { return nil }
        return term.test("\(term.text) > 0")
    }

    static func relevance(to searches: [PlannedSearch], _ translator: inout Translator) -> SQLTerm? {
        var points: [SQLTerm] = []
        for search in searches {
            var texts: [SQLTerm] = []
            for key in search.keys {
                switch translator.terms.meaning(of: key) {
                case .term(let term) where term.kind == .text: texts.append(term)
                case .nothing: continue
                default: return nil
                }
            }
            guard let term = relevance(to: search.text, texts, &translator.builder) else { return nil }
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
