extension TypedTerm where Compared == String {
    /// Matches records whose text begins with another.
    public func hasPrefix(_ prefix: String, options: Filter.Options = []) -> Filter {
        compared(.beginsWith, to: Filter.Expression(prefix), options: options)
    }

    /// Matches records whose text ends with another.
    public func hasSuffix(_ suffix: String, options: Filter.Options = []) -> Filter {
        compared(.endsWith, to: Filter.Expression(suffix), options: options)
    }

    /// Matches records whose text contains another.
    public func contains(_ text: String, options: Filter.Options = []) -> Filter {
        compared(.contains, to: Filter.Expression(text), options: options)
    }

    /// Matches records whose text fits a pattern, in which `?` stands for one character and `*` for any number.
    public func like(_ pattern: String, options: Filter.Options = []) -> Filter {
        compared(.like, to: Filter.Expression(pattern), options: options)
    }

    /// Matches records whose whole text fits a regular expression.
    public func matches(_ regularExpression: String, options: Filter.Options = []) -> Filter {
        compared(.matches, to: Filter.Expression(regularExpression), options: options)
    }

    /// Matches records whose text has one of the words.
    ///
    /// - Parameter words: The words, separated by blanks.
    public func matchesTokens(_ words: String) -> Filter {
        compared(.tokenMatches, to: Filter.Expression(words), options: [])
    }
    /// Matches records whose text has all words of a search, as people write it.
    ///
    /// - Parameter text: The search, see ``SearchText``. One without a word matches every record.
    public func search(_ text: String) -> Filter {
        compared(.search, to: Filter.Expression(text), options: [])
    }
}
