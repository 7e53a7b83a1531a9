import Cabinet

/// Conditions that the indexes of words and of places decide.
extension FilterTranslator {
    /// The most words that an index is asked for at once.
    private static let maximumTokens = 100

    /// The condition that a search for words holds; `nil` if no index covers exactly the fields that are searched.
    mutating func search(_ comparison: Filter.Comparison) -> SQLTest? {
        guard comparison.operator == .tokenMatches, comparison.quantifier == .single,
            let searched = searchedFields(comparison), !searched.isEmpty, terms.table.wordFields == searched,
            case .constant(let value) = comparison.right
        else { return nil }
        guard let value else { return .never }
        guard case .string(let text) = value else { return nil }
        guard let condition = words(of: text) else { return nil }
        guard crowdedTables.contains(terms.table.id) else { return SQLTest(condition) }
        let joker = builder.parameter(.text(SearchWords.quoted(SearchWords.joker(builder.databaseID))))
        return SQLTest(condition, unsure: ["\(terms.name).\"___words\" @@ CAST(\(joker) AS tsquery)"])
    }

    /// The fields whose words a comparison looks for; `nil` if they are no fields of the rows.
    private func searchedFields(_ comparison: Filter.Comparison) -> [Record.FieldKey]? {
        switch comparison.left {
        case .searchableText: terms.fields.searchable
        case .field(let key): [key]
        default: nil
        }
    }

    /// A search for words in all searchable fields, without an index.
    mutating func searches(of comparison: Filter.Comparison) -> SQLTest? {
        guard comparison.operator == .tokenMatches, comparison.quantifier == .single else { return nil }
        let text = operand(comparison.right)
        var tests: [SQLTest] = []
        for key in terms.fields.searchable {
            guard let test = words(operand(.field(key)), text) else { return nil }
            tests.append(test)
        }
        return .any(tests)
    }

    /// The condition that a text has one of the words of another.
    ///
    /// Without an index, only text of ASCII can be taken apart in SQL.
    mutating func words(_ left: SQLOperand, _ right: SQLOperand) -> SQLTest? {
        switch (left, right) {
        case (.null, _), (_, .null): return .never
        case (.term(let term), .value(.string(let text))) where term.kind == .text:
            let tokens = Set(SearchTokens.tokens(in: text)).sorted()
            if tokens.isEmpty { return .never }
            // Tokens of ASCII are letters and digits, which are themselves in a regular expression.
            let plain = tokens.filter { $0.utf8.allSatisfy { $0 < 0x80 } }
            guard tokens.count <= Self.maximumTokens, !Self.isLong(text) else { return nil }
            let unsure = term.unsure + [Self.isBeyondASCII(term.text)]
            if plain.isEmpty { return SQLTest(.never, unsure: unsure) }
            let expression = "(^|[^a-z0-9])(\(plain.joined(separator: "|")))($|[^a-z0-9])"
            let parameter = builder.parameter(.text(expression))
            return SQLTest(.sql("lower(\(term.text) COLLATE \"C\") ~ \(parameter)"), unsure: unsure)
        default: return nil
        }
    }

    /// A condition that all records meet that a filter matches, and that an index decides; `nil` if there is none.
    ///
    /// The filter itself is still to be evaluated for the rows that meet it.
    mutating func candidates(for filter: Filter) -> SQLCondition? {
        guard case .comparison(let comparison) = filter, comparison.quantifier == .single else { return nil }
        switch comparison.operator {
        case .tokenMatches:
            let fields = terms.table.wordFields
            guard let searched = searchedFields(comparison), !fields.isEmpty, Set(fields).isSuperset(of: searched),
                case .constant(.string(let text)?) = comparison.right
            else { return nil }
            // Where the index decides alone, it is asked once.
            if fields == searched, !crowdedTables.contains(terms.table.id) { return nil }
            return words(of: text, orAny: true)
        case .lessThan, .lessThanOrEqual: return nearby(comparison.left, within: comparison.right)
        case .greaterThan, .greaterThanOrEqual: return nearby(comparison.right, within: comparison.left)
        default: return nil
        }
    }

    /// The condition that the index of words has a row with one of the words of a text.
    ///
    /// - Parameter orAny: Whether rows are meant, too, that have more words than the index holds.
    private mutating func words(of text: String, orAny: Bool = false) -> SQLCondition? {
        let tokens = Set(SearchTokens.tokens(in: text)).sorted()
        if tokens.isEmpty { return .never }
        guard tokens.count <= Self.maximumTokens else { return nil }
        var words = tokens.compactMap { SearchWords.stored($0, builder.databaseID) }
        if orAny { words.append(SearchWords.joker(builder.databaseID)) }
        if words.isEmpty { return .never }
        let query = builder.parameter(.text(words.map(SearchWords.quoted).joined(separator: " | ")))
        return .sql("\(terms.name).\"___words\" @@ CAST(\(query) AS tsquery)")
    }

    /// The condition that a row is in a box around all places within a distance.
    private mutating func nearby(_ distance: Filter.Expression, within limit: Filter.Expression) -> SQLCondition? {
        guard case .distance(let left, let right) = distance, let metres = limit.number else { return nil }
        let key: Record.FieldKey
        let origin: Location
        switch (left, right) {
        case (.field(let field), .constant(.location(let place)?)),
            (.constant(.location(let place)?), .field(let field)):
            (key, origin) = (field, place)
        default: return nil
        }
        guard terms.fields[key] == .location, case .term(let place) = terms.meaning(of: key), place.column != nil
        else { return nil }
        let boxes = PlaceBox.boxes(around: origin, distance: metres)
        return .any(
            boxes.map { box in
                let (south, north) = (builder.parameter(.double(box.south)), builder.parameter(.double(box.north)))
                let (west, east) = (builder.parameter(.double(box.west)), builder.parameter(.double(box.east)))
                return .sql(
                    "\(place.text)[1] >= \(south) AND \(place.text)[1] <= \(north) "
                        + "AND \(place.text)[2] >= \(west) AND \(place.text)[2] <= \(east)")
            })
    }
}

extension Filter {
    /// Whether words are searched for.
    var hasSearch: Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison): comparison.operator == .tokenMatches
        case .and(let children), .or(let children): children.contains(where: \.hasSearch)
        case .not(let child): child.hasSearch
        }
    }
}

extension DatabaseView {
    /// The numbers of the tables in which some row has too many words, or too long ones, for the index of words.
    ///
    /// Next to no table has one, and then the index knows all.
    func crowdedTables(for plan: QueryPlan) throws -> Set<Int64> {
        guard let databaseID, plan.filter.hasSearch else { return [] }
        let searchable = catalog.tables.filter { !$0.wordFields.isEmpty }
        if searchable.isEmpty { return [] }
        let joker = SearchWords.quoted(SearchWords.joker(databaseID))
        let parts = searchable.map { table in
            """
            SELECT CAST(\(table.id) AS bigint) WHERE EXISTS (SELECT 1 FROM \(table.quoted) \
            WHERE "___words" @@ CAST($2 AS tsquery) AND "___database" = $1)
            """
        }
        let found = try query(parts.joined(separator: " UNION ALL "), [.integer(databaseID), .text(joker)])
        return Set(found.rows.compactMap { $0.integer(0) })
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
