import Cabinet
import SQLSupport

/// Searches as people write them: the index of words finds words and beginnings of words, and regular expressions read
/// ASCII.
extension PostgresDialect {
    static func isIndexed(_ search: SearchText, _ translator: inout Translator) -> SQLTest? {
        let databaseID = translator.dialect.databaseID
        let condition =
            query(of: search, databaseID).map { isFound($0, in: &translator) } ?? SQLCondition.never
        if indexIsExact(translator) { return SQLTest(condition) }
        let joker = SearchWords.quoted(SearchWords.joker(databaseID))
        return SQLTest(condition, inexactCases: [isFound(joker, in: &translator).text])
    }

    /// Returns the condition for candidate rows, including those that have more words than the index holds.
    static func candidates(_ search: SearchText, _ translator: inout Translator) -> SQLCondition? {
        let databaseID = translator.dialect.databaseID
        let joker = SearchWords.quoted(SearchWords.joker(databaseID))
        return isFound(query(of: search, databaseID).map { "\($0) | \(joker)" } ?? joker, in: &translator)
    }

    /// The column with the points of a row's relevance.
    static let points = #""___points""#

    /// Returns the expression of a row's relevance to some searches.
    static func points(_ searches: [PlannedSearch], _ translator: inout Translator) -> String {
        searches.map { points($0, &translator) }.joined(separator: " + ")
    }

    private static func points(_ search: PlannedSearch, _ translator: inout Translator) -> String {
        let (words, databaseID) = (search.text.words, translator.dialect.databaseID)
        func stored(_ word: (text: String, isUnfinished: Bool)) -> String? {
            SearchWords.stored(word.text, databaseID).map { SearchWords.quoted($0) + (word.isUnfinished ? ":*" : "") }
        }
        // No row has a word that is too long.
        let texts = words.compactMap(stored)
        guard texts.count == words.count, let first = words.first else { return "0" }
        let finished = Int64(words.count { !$0.isUnfinished })
        let lengths = search.keys.compactMap { key -> String? in
            guard case .term(let term) = translator.terms.meaning(of: key) else { return nil }
            return "octet_length(coalesce(\(term.text), ''))"
        }
        var parts = [
            "CAST(\(SearchText.Points.word * finished) AS bigint)",
            "greatest(1, \(SearchText.Points.brevity(of: 0)) - (\((["0"] + lengths).joined(separator: " + "))))",
        ]
        func add(_ points: Int64, if query: String) {
            parts.append("CASE WHEN \(isFound(once: query, &translator)) THEN \(points) ELSE 0 END")
        }
        for word in words where word.isUnfinished {
            if let whole = stored((word.text, false)) { add(SearchText.Points.word, if: whole) }
        }
        add(SearchText.Points.beginning, if: RankedQueries.marks(first, databaseID).joined(separator: " | "))
        for (left, right) in zip(texts, texts.dropFirst()) {
            add(SearchText.Points.neighbors, if: "\(left) <-> \(right)")
        }
        let terms = search.text.terms.map { "(\($0.compactMap(stored).joined(separator: " <-> ")))" }
        let isMatch = isFound(once: terms.joined(separator: " & "), &translator)
        return "CASE WHEN \(isMatch) THEN \(parts.joined(separator: " + ")) ELSE 0 END"
    }

    /// Returns the condition that a row has the words of a query, which PostgreSQL parses once instead of for each row.
    private static func isFound(once query: String, _ translator: inout Translator) -> String {
        let parameter = translator.builder.parameter(.text(query))
        return "\(translator.terms.name).\"___words\" @@ (SELECT CAST(\(parameter) AS tsquery))"
    }

    /// Returns the query for all words of a search; `nil` if the index holds words of such a length nowhere.
    private static func query(of search: SearchText, _ databaseID: Int64) -> String? {
        var parts: [String] = []
        for word in search.words {
            guard let stored = SearchWords.stored(word.text, databaseID) else { return nil }
            parts.append(SearchWords.quoted(stored) + (word.isUnfinished ? ":*" : ""))
        }
        return parts.joined(separator: " & ")
    }

    static func isFound(_ search: SearchText, in texts: [SQLTerm], _ translator: inout Translator) -> SQLTest? {
        guard !isLong(search.text) else { return nil }
        let inexactCases = texts.flatMap { $0.inexactCases + [isBeyondASCII($0.text)] }
        var conditions: [SQLCondition] = []
        for term in search.terms {
            // A text of ASCII has no other word. Words of ASCII are letters and digits, which need no escaping.
            guard term.allSatisfy({ $0.text.utf8.allSatisfy { $0 < 0x80 } }) else {
                return SQLTest(.never, inexactCases: inexactCases)
            }
            let words = term.map(\.text).joined(separator: "[^a-z0-9]+")
            let end = term.last?.isUnfinished == true ? "" : "($|[^a-z0-9])"
            let parameter = translator.builder.parameter(.text("(^|[^a-z0-9])\(words)\(end)"))
            conditions.append(.any(texts.map { .sql("lower(\($0.text) COLLATE \"C\") ~ \(parameter)") }))
        }
        return SQLTest(.all(conditions), inexactCases: inexactCases)
    }
}
