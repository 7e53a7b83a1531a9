extension Filter {
    /// Matches the records whose searchable text fields have all words of a search, as people write it.
    ///
    /// ```swift
    /// let query = Query(
    ///     recordType: "Items", filter: .search("anvil rop"), sortedBy: .relevance)
    /// ```
    ///
    /// In format strings this is `SELF SEARCH 'anvil rop'`.
    ///
    /// - Parameter text: The search, see ``SearchText``. One without a word matches every record.
    public static func search(_ text: String) -> Filter {
        .comparison(Comparison(.searchableText, .search, Expression(text)))
    }
}

extension FilterSubject {
    /// Matches the records where this text has all words of a search, as people write it.
    ///
    /// - Parameter text: The search, see ``SearchText``. One without a word matches every record.
    public func search(_ text: String) -> Filter {
        compared(.search, to: Filter.Expression(text), options: [])
    }

    /// Matches the records where this text has all words of another expression's text.
    ///
    /// - Parameter text: The search, see ``SearchText``.
    public func search(_ text: Filter.Expression) -> Filter {
        compared(.search, to: text, options: [])
    }
}

extension Filter.Operator {
    /// Whether the operator finds words, without options, and takes the searchable text on its left side.
    package var findsWords: Bool { self == .tokenMatches || self == .search }
}

extension Filter.Comparison {
    /// The constant search for a whole value; `nil` if the comparison is not one.
    package var searchText: SearchText? {
        guard `operator` == .search, quantifier == .single, case .constant(.string(let text)?) = right else {
            return nil
        }
        return SearchText(text)
    }

    /// Returns the fields whose words the comparison searches; `nil` if the left side is not a field of the record.
    package func searchedFields(in fields: FieldTypes) -> [Record.FieldKey]? {
        switch left {
        case .searchableText: fields.searchable
        case .field(let key): [key]
        default: nil
        }
    }

    /// Whether the comparison is a search without a word, which matches every record.
    package var isEmptySearch: Bool { searchText?.isEmpty == true }
}
