import Cabinet

/// The words of a record's searchable fields, as the column `"___words"` holds them.
///
/// They are the core's own tokens: PostgreSQL stores and finds them, and takes no text apart by itself, so that a search finds the
/// same on every backend. A save writes `array_to_tsvector($1)` with ``lexemes(of:)``, a search asks for
/// `"___words" @@ CAST($1 AS tsquery)` with ``query(forAnyOf:)``.
enum SearchWords {
    /// The most bytes that are kept of a token; PostgreSQL takes no lexeme of more than 2046.
    static let maximumLength = 1000

    /// The most bytes that the lexemes of one record may have together; PostgreSQL's own limit is a little higher.
    static let maximumTotalLength = 1_000_000

    /// The different words of texts, in no order.
    ///
    /// - Returns: `nil` if there are more than PostgreSQL can keep for a record.
    static func lexemes(of texts: [String]) -> [String]? {
        var lexemes: Set<String> = []
        var length = 0
        for text in texts {
            for token in SearchTokens.tokens(in: text) {
                let lexeme = cut(token)
                guard lexemes.insert(lexeme).inserted else { continue }
                length += lexeme.utf8.count
                if length > maximumTotalLength { return nil }
            }
        }
        return Array(lexemes)
    }

    /// Whether the whole of a token is kept, so that it is told apart from all others.
    static func isWhole(_ token: String) -> Bool { token.utf8.count < maximumLength }

    /// What is searched for to find rows with any of some tokens: a `tsquery` as text.
    static func query(forAnyOf tokens: [String]) -> String {
        // A token holds letters, digits and marks, so there is no quotation mark in it.
        tokens.map { "'\(cut($0))'" }.joined(separator: " | ")
    }

    /// The beginning of a token, up to the length that is kept.
    private static func cut(_ token: String) -> String {
        if isWhole(token) { return token }
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in token.unicodeScalars {
            length += String(scalar).utf8.count
            if length > maximumLength { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}
