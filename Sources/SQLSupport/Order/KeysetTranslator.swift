package import Cabinet

/// Translates the order of a query, and a position in it, to SQL.
///
/// An index may hold only prefixes of long values. If no value is longer, the order by prefixes is exact, and an index
/// returns the rows in it. Otherwise ``isWhole`` selects the order by whole values.
package struct KeysetTranslator<Dialect: KeysetDialect> {
    /// A sort key.
    package struct Key {
        /// The expression that rows are sorted by; `nil` if it is nil in every record.
        package var term: SQLTerm?
        package let sort: Sort

        /// The field, if it is a column of the rows.
        package var field: Record.FieldKey? { term?.column == nil ? nil : sort.key }
    }

    package var keys: [Key]
    /// The column of the insertion number, which is the last key of every order.
    package var insertionNumber: String
    /// Whether rows are sorted by whole values, not by the prefixes that an index holds.
    package var isWhole = false
    /// The parameters of the statement, with those of the sort keys.
    package let builder: SQLBuilder<Dialect.Value>
    /// Whether an index may return the rows in this order.
    private let isIndexed: Bool

    /// Translates an order.
    ///
    /// - Parameters:
    ///   - plan: The plan whose order is translated.
    ///   - translator: The translator of the filter, which collects the values that the sort keys need.
    /// - Returns: `nil` if SQL cannot sort by a key.
    package init?(_ plan: QueryPlan, _ translator: inout FilterTranslator<Dialect>) {
        let (order, terms) = (plan.order, translator.terms)
        var keys: [Key] = []
        for sort in order {
            var meaning = translator.meaning(of: sort)
            if sort.isByRelevance {
                // Without a word to search for, the relevance of every record is nil.
                meaning = plan.searches.isEmpty ? .nothing : .unknown
                if let term = Dialect.relevance(to: plan.searches, &translator) { meaning = .term(term) }
            }
            switch meaning {
            case .unknown: return nil
            case .nothing: keys.append(Key(term: nil, sort: sort))
            case .term(let term):
                // Each key is nested in as many parentheses as there are keys.
                guard let term = Dialect.term(term, sortedBy: sort, &translator.builder), term.inexactCases.isEmpty,
                    term.depth + 2 * order.count < Dialect.maximumDepth
                else { return nil }
                keys.append(Key(term: term, sort: sort))
            }
        }
        self.keys = keys
        insertionNumber = terms.insertionNumber
        builder = translator.builder
        isIndexed =
            keys.first?.term.map { $0.isColumn && Dialect.isOrdered(terms.table, by: $0, in: translator.scope) }
            ?? false
    }

    /// The terms of ORDER BY.
    package var order: String {
        (keys.flatMap(terms) + [insertionNumber]).joined(separator: ", ")
    }

    /// The terms of ORDER BY for a sort key.
    package func terms(of key: Key) -> [String] {
        guard let term = key.term else { return [] }
        return columns(of: term).map { $0 + Dialect.direction(of: term, ascending: key.sort.ascending) }
    }

    /// Returns the expressions that rows are sorted by for a sort key.
    private func columns(of term: SQLTerm) -> [String] {
        guard let key = term.key else { return [term.text] }
        return isWhole ? [key.text, term.text] : [key.text]
    }
}

// MARK: - Positions

extension KeysetTranslator {
    /// Returns the conditions of a row after a position, one for each range of the order, in that order.
    ///
    /// In a range, some keys equal those of the position and the next key lies beyond. So an index finds the start of
    /// the range directly. Without an index there is only one range, so that the rows are read once.
    package func ranges(
        after position: QueryPosition, _ builder: inout SQLBuilder<Dialect.Value>
    ) -> [SQLCondition] {
        let parameters = zip(keys, position.values).map { key, value in
            value.map { builder.parameter(Dialect.value($0, at: key.sort)) }
        }
        let number = builder.parameter(.integer(position.insertionNumber))
        if Dialect.comparesRows, let row = row(after: parameters, number) { return [row] }
        let same = zip(keys, parameters).map { self.same($0.term, $1) }
        var ranges = [SQLCondition.all(same + [.sql("\(insertionNumber) > \(number)")])]
        for (index, (key, parameter)) in zip(keys, parameters).enumerated().reversed() {
            for beyond in beyond(key, parameter) { ranges.append(.all(same[..<index] + [beyond])) }
        }
        return isIndexed || ranges.count == 1 ? ranges : [Dialect.scanned(.any(ranges))]
    }

    /// Returns the condition as a comparison of rows, which needs only one index search.
    ///
    /// - Returns: `nil` if the keys have several directions, or if one is nil, which a comparison of rows does not
    ///   support.
    private func row(after parameters: [String?], _ number: String) -> SQLCondition? {
        if keys.isEmpty { return nil }
        var columns: [String] = []
        var values: [String] = []
        for (key, parameter) in zip(keys, parameters) {
            guard let term = key.term, let parameter, key.sort.ascending else { return nil }
            columns += self.columns(of: term)
            if term.key != nil, isWhole { values.append(Dialect.prefix(of: parameter, type: term.type)) }
            values.append(parameter)
        }
        columns.append(insertionNumber)
        values.append(number)
        return .sql("(\(columns.joined(separator: ", "))) > (\(values.joined(separator: ", ")))")
    }

    /// Returns the condition that a key has the position's value.
    private func same(_ term: SQLTerm?, _ parameter: String?) -> SQLCondition {
        switch (term, parameter) {
        case (nil, nil): return .always
        case (nil, _?): return .never
        case (let term?, nil): return condition(term, "\(term.key?.text ?? term.text) IS NULL")
        case (let term?, let parameter?):
            guard let key = term.key else { return condition(term, "\(term.text) = \(parameter)") }
            if !isWhole { return condition(term, "\(key.text) = \(parameter)") }
            let prefix = Dialect.prefix(of: parameter, type: term.type)
            return condition(term, "\(key.text) = \(prefix) AND \(term.text) = \(parameter)")
        }
    }

    /// Returns the conditions that a key has a value after the position's, in their order.
    private func beyond(_ key: Key, _ parameter: String?) -> [SQLCondition] {
        let ascending = key.sort.ascending
        switch (key.term, parameter) {
        case (nil, nil): return []
        case (nil, _?): return ascending ? [] : [.always]
        case (let term?, nil):
            return ascending ? [condition(term, "\(term.key?.text ?? term.text) IS NOT NULL")] : []
        case (let term?, let parameter?):
            let sign: OrderSign = ascending ? .greater : .less
            var text = "\(term.key?.text ?? term.text) \(sign.rawValue) \(parameter)"
            if let key = term.key, isWhole {
                text =
                    "\(key.text) \(sign.orEqual.rawValue) \(Dialect.prefix(of: parameter, type: term.type)) "
                    + "AND \(term.text) \(sign.rawValue) \(parameter)"
            }
            // Every record has a name.
            if ascending || term.isID { return [condition(term, text)] }
            return [condition(term, text), condition(term, "\(term.key?.text ?? term.text) IS NULL")]
        }
    }

    private func condition(_ term: SQLTerm, _ text: String) -> SQLCondition { term.test(text).condition }
}
