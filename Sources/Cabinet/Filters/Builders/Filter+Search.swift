extension Filter {
    /// Matches the records that have at least one of the words in one of their searchable text fields.
    ///
    /// In format strings this is `SELF CONTAINS 'milk bread'`. To ask for all of several words, join searches:
    ///
    /// ```swift
    /// .text("milk") && .text("bread")
    /// ```
    ///
    /// - Parameter words: The words, see ``SearchTokens``. A text without a word matches no record.
    public static func text(_ words: String) -> Filter {
        .comparison(Comparison(.searchableText, .tokenMatches, Expression(words)))
    }
}

extension FilterSubject {
    /// Matches the records where this text has at least one of the words, without regard to case and accents.
    ///
    /// - Parameter words: The words, see ``SearchTokens``. A text without a word is found nowhere.
    public func matchesTokens(_ words: String) -> Filter {
        compared(.tokenMatches, to: Filter.Expression(words), options: [])
    }

    /// Matches the records where this text has at least one of the words of another expression's text.
    ///
    /// - Parameter words: The words, see ``SearchTokens``.
    public func matchesTokens(_ words: Filter.Expression) -> Filter {
        compared(.tokenMatches, to: words, options: [])
    }
}
