import Cabinet

/// Conditions that the indexes of words and of places decide.
///
/// Rows are found by their numbers in the index, so SQLite may choose another index where that is better.
extension FilterTranslator {
    /// The most words that an index is asked for at once.
    private static let maximumTokens = 100
    /// FTS5 cuts longer tokens off, and would find others that begin alike.
    private static let maximumTokenLength = 30_000

    /// The condition that a search for words holds; `nil` if no index covers exactly the fields that are searched.
    mutating func search(_ comparison: Filter.Comparison) -> SQLCondition? {
        guard comparison.operator == .tokenMatches, comparison.quantifier == .single else { return nil }
        let searched: [Record.FieldKey]
        switch comparison.left {
        case .searchableText: searched = terms.fields.searchable
        case .field(let key): searched = [key]
        default: return nil
        }
        guard terms.table.words?.fields == searched else { return nil }
        return words(of: comparison)
    }

    /// A condition that all records meet that a filter matches, and that an index decides; `nil` if there is none.
    ///
    /// The filter itself is still to be evaluated for the rows that meet it.
    mutating func candidates(for filter: Filter) -> SQLCondition? {
        guard case .comparison(let comparison) = filter, comparison.quantifier == .single else { return nil }
        switch comparison.operator {
        case .tokenMatches:
            guard case .field(let key) = comparison.left, let words = terms.table.words, words.fields != [key],
                words.fields.contains(key)
            else { return nil }
            return self.words(of: comparison)
        case .lessThan, .lessThanOrEqual: return nearby(comparison.left, within: comparison.right)
        case .greaterThan, .greaterThanOrEqual: return nearby(comparison.right, within: comparison.left)
        default: return nil
        }
    }

    /// The condition that the index of words has a row with one of the words on a comparison's right side.
    private mutating func words(of comparison: Filter.Comparison) -> SQLCondition? {
        guard let words = terms.table.words, case .constant(let value) = comparison.right else { return nil }
        guard let value else { return .never }
        guard case .string(let text) = value else { return nil }
        let tokens = Set(SearchTokens.tokens(in: text)).sorted()
        if tokens.isEmpty { return .never }
        guard tokens.count <= Self.maximumTokens, tokens.allSatisfy({ $0.utf8.count <= Self.maximumTokenLength }) else {
            return nil
        }
        // A token holds letters, digits and marks, so there is no quotation mark in it.
        let query = tokens.map { "\"\($0)\"" }.joined(separator: " OR ")
        let parameter = builder.parameter(.text(query))
        return .sql(
            "\(terms.name).\"___row\" IN (SELECT rowid FROM \(words.quoted) WHERE \(words.quoted) MATCH \(parameter))",
            depth: 2)
    }

    /// The condition that a row is in a box around all places within a distance.
    private mutating func nearby(
        _ distance: Filter.Expression, within limit: Filter.Expression
    ) -> SQLCondition? {
        guard case .distance(let left, let right) = distance, let metres = limit.number else { return nil }
        let key: Record.FieldKey
        let origin: Location
        switch (left, right) {
        case (.field(let field), .constant(.location(let place)?)),
            (.constant(.location(let place)?), .field(let field)):
            (key, origin) = (field, place)
        default: return nil
        }
        guard terms.fields[key] == .location,
            let places = terms.table.places.first(where: { terms.table.columns[$0.position].field == key })
        else { return nil }
        let boxes = PlaceBox.boxes(around: origin, distance: metres)
        if boxes.isEmpty { return .never }
        let searches = boxes.map { box in
            """
            SELECT id FROM \(places.quoted) \
            WHERE south <= \(builder.parameter(.real(box.north))) AND north >= \(builder.parameter(.real(box.south))) \
            AND west <= \(builder.parameter(.real(box.east))) AND east >= \(builder.parameter(.real(box.west)))
            """
        }
        return .sql("\(terms.name).\"___row\" IN (\(searches.joined(separator: " UNION ALL ")))", depth: 3)
    }
}

extension Filter.Expression {
    /// The number that a constant is.
    fileprivate var number: Double? {
        switch self {
        case .constant(.double(let number)?): number
        case .constant(.int64(let number)?): Double(number)
        default: nil
        }
    }
}
