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
