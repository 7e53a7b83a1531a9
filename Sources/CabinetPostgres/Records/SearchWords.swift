import Cabinet

/// The words of a record's searchable fields, as stored in `"___words"`.
///
/// A GIN index cannot begin with the database as other indexes do, so each word does: `'17:milk'`. A search for words of one
/// database then never reads those of another: `"___words" @@ '''17:milk'' | ''17:bread'''::tsquery`.
///
/// Each word has its positions, so that the server knows the neighbors. The numbers have a gap between two texts, whose words are
/// not neighbors. The first word of each text is stored again, with a mark that has the class of the length of all texts:
/// `'17:^3milk'`.
enum SearchWords {
    /// The limit of bytes in a word, below PostgreSQL's own of 2046.
    static let maximumLength = 400

    /// The limit of bytes in a row's words, below PostgreSQL's own of one megabyte.
    private static let maximumTotal = 500_000

    /// PostgreSQL's limits of a position, and of the number of a word's positions.
    private static let (maximumPosition, maximumCount) = (16_383, 255)

    /// Returns the word that stands for the missing words of a row with too many, or too long ones, which a search must
    /// include.
    static func joker(_ database: Int64) -> String { "\(database):" }

    /// Returns the word of a row whose relevance SQL cannot compute, because a word or a position is missing, or a text is stored
    /// with another length.
    static func unranked(_ database: Int64) -> String { "\(database):+" }

    /// The numbers of bytes at which a class of length ends and the next one begins.
    ///
    /// Each class takes a statement if many rows are found, and a comparison for each row.
    private static let lengthLimits = [24, 32, 48, 64, 96, 128, 256]

    static let lengthClasses = 0...lengthLimits.count

    /// Returns the class of the number of bytes of a row's texts.
    private static func lengthClass(of length: Int) -> Int { lengthLimits.count { $0 <= length } }

    /// Returns the largest number of bytes of a class; `nil` for the last one.
    static func greatestLength(of lengthClass: Int) -> Int? {
        lengthLimits.indices.contains(lengthClass) ? lengthLimits[lengthClass] - 1 : nil
    }

    /// Returns the mark of a word that a text begins with.
    static func mark(_ token: String, lengthClass: Int, _ database: Int64) -> String {
        "\(database):^\(lengthClass)\(token)"
    }

    /// Returns the stored form of a word; `nil` if it is too long, and only the ``joker(_:)`` represents it.
    static func stored(_ token: String, _ database: Int64) -> String? {
        token.utf8.count <= maximumLength ? "\(database):\(token)" : nil
    }

    /// Returns the `tsvector` literal of some texts; `nil` if they have no words.
    static func vector(of texts: [String], _ database: Int64) -> String? {
        var words: [String: [Int]] = [:]
        var (length, position, isRanked) = (0, 0, true)
        let lengthClass = lengthClass(of: texts.reduce(0) { $0 + $1.utf8.count })
        for text in texts {
            if StoredText.needsEscape(text) { isRanked = false }
            for (index, token) in SearchTokens.tokens(in: text).enumerated() {
                position += 1
                guard let word = stored(token, database) else {
                    words[joker(database)] = []
                    isRanked = false
                    continue
                }
                let mark = mark(token, lengthClass: lengthClass, database)
                if index == 0, words.updateValue([], forKey: mark) == nil { length += mark.utf8.count + 8 }
                let count = words[word]?.count
                if count == nil { length += word.utf8.count + 8 }
                if position <= maximumPosition, count ?? 0 < maximumCount {
                    words[word, default: []].append(position)
                    length += 2
                } else {
                    words[word, default: []] += []
                    isRanked = false
                }
                if length > maximumTotal { return "\(quoted(joker(database))) \(quoted(unranked(database)))" }
            }
            position += 1
        }
        if words.isEmpty { return nil }
        if !isRanked { words[unranked(database)] = [] }
        return words.sorted { $0.key < $1.key }.map { word, positions in
            quoted(word) + (positions.isEmpty ? "" : ":\(positions.map(String.init).joined(separator: ","))")
        }.joined(separator: " ")
    }

    /// Returns a word as the input functions of `tsvector` and `tsquery` expect it.
    ///
    /// A token consists of letters, digits and marks, so it needs no escaping.
    static func quoted(_ word: String) -> String { "'\(word)'" }
}
