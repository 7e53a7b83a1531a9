import Cabinet

/// The words of a record's searchable fields, as `"___words"` holds them.
///
/// A GIN cannot begin with the database as other indexes do, so each word does: `'17:milk'`. A search for words of one database
/// then never looks at those of another: `"___words" @@ '''17:milk'' | ''17:bread'''::tsquery`.
enum SearchWords {
    /// PostgreSQL's own limit for a word is 2046 bytes.
    static let maximumLength = 400

    /// PostgreSQL's own limit for the words of a row is one megabyte.
    private static let maximumTotal = 500_000

    /// The word that stands for all others in a row that has too many, or too long ones: such a row must be looked at.
    static func joker(_ database: Int64) -> String { "\(database):" }

    /// What is stored for a word; `nil` if it is too long, and only the ``joker(_:)`` stands for it.
    static func stored(_ token: String, _ database: Int64) -> String? {
        token.utf8.count <= maximumLength ? "\(database):\(token)" : nil
    }

    /// The `tsvector` for some texts, as its input function takes it; `nil` if they have no words.
    static func vector(of texts: some Sequence<String>, _ database: Int64) -> String? {
        var words: Set<String> = []
        var length = 0
        for text in texts {
            for token in SearchTokens.tokens(in: text) {
                guard let word = stored(token, database) else {
                    words.insert(joker(database))
                    continue
                }
                if words.insert(word).inserted { length += word.utf8.count + 8 }
                if length > maximumTotal { return quoted(joker(database)) }
            }
        }
        return words.isEmpty ? nil : words.sorted().map(quoted).joined(separator: " ")
    }

    /// A word as the input functions of `tsvector` and `tsquery` take it.
    ///
    /// A token holds letters, digits and marks, so there is no quotation mark in it.
    static func quoted(_ word: String) -> String { "'\(word)'" }
}
