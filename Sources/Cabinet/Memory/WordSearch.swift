/// The words that the records of a search have: a condition that all of its records meet, and that others may meet.
indirect enum WordSearch: Sendable {
    case word(String, isUnfinished: Bool)
    case all([WordSearch])
    case any([WordSearch])

    /// The largest number of words of a comparison, above which reading the texts is faster.
    private static let maximumWords = 100

    /// Creates the condition of a filter; `nil` if words in some fields do not decide it.
    ///
    /// - Parameter fields: The fields whose words are known.
    init?(_ filter: Filter, in fields: Set<Record.FieldKey>, of types: FieldTypes) {
        switch filter {
        case .constant, .not: return nil
        case .and(let children):
            let parts = children.compactMap { WordSearch($0, in: fields, of: types) }
            if parts.isEmpty { return nil }
            self = .all(parts)
        case .or(let children):
            let parts = children.compactMap { WordSearch($0, in: fields, of: types) }
            if parts.isEmpty || parts.count < children.count { return nil }
            self = .any(parts)
        case .comparison(let comparison):
            guard let searched = comparison.searchedFields(in: types), fields.isSuperset(of: searched),
                comparison.quantifier == .single, case .constant(.string(let text)?) = comparison.right
            else { return nil }
            if let search = comparison.searchText, !search.isEmpty {
                self = .all(search.words.map { .word($0.text, isUnfinished: $0.isUnfinished) })
            } else if comparison.operator == .tokenMatches {
                let tokens = SearchTokens.tokens(in: text)
                if tokens.count > Self.maximumWords { return nil }
                self = .any(tokens.map { .word($0, isUnfinished: false) })
            } else {
                return nil
            }
        }
    }
}
