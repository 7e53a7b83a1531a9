import Cabinet

/// The words of a record's searchable fields, as stored in `"___words"`.
///
/// A GIN index cannot begin with the database as other indexes do, so each word does: `'17:milk'`. A search for words of one
/// database then never reads those of another: `"___words" @@ '''17:milk'' | ''17:bread'''::tsquery`.
enum SearchWords {
    /// The limit of bytes in a word, below PostgreSQL's own of 2046.
    static let maximumLength = 400

    /// The limit of bytes in a row's words, below PostgreSQL's own of one megabyte.
    private static let maximumTotal = 500_000

    /// Returns the word that stands for the missing words of a row with too many, or too long ones, which a search must
    /// include.
    static func joker(_ database: Int64) -> String { "\(database):" }

    /// Returns the stored form of a word; `nil` if it is too long, and only the ``joker(_:)`` represents it.
    static func stored(_ token: String, _ database: Int64) -> String? {
        token.utf8.count <= maximumLength ? "\(database):\(token)" : nil
    }

    /// Returns the `tsvector` literal of some texts; `nil` if they have no words.
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

    /// Returns a word as the input functions of `tsvector` and `tsquery` expect it.
    ///
    /// A token consists of letters, digits and marks, so it needs no escaping.
    static func quoted(_ word: String) -> String { "'\(word)'" }
}
