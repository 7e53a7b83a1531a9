import Cabinet

/// Conditions that full-text and location indexes decide.
extension FilterTranslator {
    /// The largest number of words in a search of the index.
    private static var maximumWords: Int { 100 }

    /// Translates a search for words; returns `nil` if no index covers exactly the searched fields.
    mutating func search(_ comparison: Filter.Comparison) -> SQLTest? {
        if comparison.operator == .search { return indexedSearch(comparison) }
        guard comparison.operator == .tokenMatches, comparison.quantifier == .single,
            let searched = comparison.searchedFields(in: terms.fields), !searched.isEmpty,
            terms.table.wordFields == searched,
            case .constant(let value) = comparison.right
        else { return nil }
        guard let value else { return .never }
        guard let words = words(of: value) else { return nil }
        return words.isEmpty ? .never : Dialect.isIndexed(words, &self)
    }

    /// Returns the words of a text; `nil` for other values, and for too many words.
    private func words(of value: FieldValue) -> [String]? {
        guard case .string(let text) = value else { return nil }
        let words = Set(SearchTokens.tokens(in: text)).sorted()
        return words.count <= Self.maximumWords ? words : nil
    }

    /// Translates a search for words in all searchable fields without an index.
    mutating func unindexedSearch(_ comparison: Filter.Comparison) -> SQLTest? {
        if comparison.operator == .search {
            guard let search = comparison.searchText else { return nil }
            return readingSearch(search, in: terms.fields.searchable.map { operand(.field($0)) })
        }
        guard comparison.operator == .tokenMatches, comparison.quantifier == .single else { return nil }
        let words = operand(comparison.right)
        var tests: [SQLTest] = []
        for key in terms.fields.searchable {
            guard let test = self.comparison(operand(.field(key)), .tokenMatches, words, []) else { return nil }
            tests.append(test)
        }
        return .any(tests)
    }

    /// Returns a condition that an index decides and that every matching record meets; `nil` if there is none.
    ///
    /// The filter itself must still be evaluated for the rows that meet the condition.
    mutating func candidates(for filter: Filter) -> SQLCondition? {
        guard case .comparison(let comparison) = filter, comparison.quantifier == .single else { return nil }
        switch comparison.operator {
        case .tokenMatches:
            let indexed = terms.table.wordFields
            guard let searched = comparison.searchedFields(in: terms.fields), !indexed.isEmpty,
                Set(indexed).isSuperset(of: searched), case .constant(let value?) = comparison.right,
                let words = words(of: value)
            else { return nil }
            // An exact index is searched only once.
            if indexed == searched, Dialect.indexIsExact(self) { return nil }
            return words.isEmpty ? .never : Dialect.candidates(words, &self)
        case .search: return searchCandidates(comparison)
        case .equal, .endsWith, .contains: return jsonCandidates(comparison)
        case .beginsWith: return foldedPrefixCandidates(comparison) ?? jsonCandidates(comparison)
        case .lessThan, .lessThanOrEqual: return isNear(comparison.left, within: comparison.right)
        case .greaterThan, .greaterThanOrEqual: return isNear(comparison.right, within: comparison.left)
        default: return nil
        }
    }

    /// Returns the condition that a row is in a box around all locations within a distance.
    private mutating func isNear(_ distance: Filter.Expression, within limit: Filter.Expression) -> SQLCondition? {
        guard case .distance(let left, let right) = distance, let metres = limit.number else { return nil }
        switch (left, right) {
        case (.field(let key), .constant(.location(let origin)?)), (.constant(.location(let origin)?), .field(let key)):
            guard terms.fields[key] == .location else { return nil }
            let boxes = BoundingBox.boxes(around: origin, distance: metres)
            return boxes.isEmpty ? .never : Dialect.isNear(key, boxes, &self)
        default: return nil
        }
    }
}

extension Filter.Expression {
    /// The value of a constant number.
    fileprivate var number: Double? {
        switch self {
        case .constant(.double(let number)?): number
        case .constant(.int64(let number)?): Double(number)
        default: nil
        }
    }
}
