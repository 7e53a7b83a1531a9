import Cabinet
import SQLSupport

/// Conditions that the indexes of words and of locations answer.
extension PostgresDialect {
    static func indexIsExact(_ translator: Translator) -> Bool {
        !translator.dialect.tablesOverTermLimit.contains(translator.terms.table.id)
    }

    static func isIndexed(_ words: [String], _ translator: inout Translator) -> SQLTest? {
        let databaseID = translator.dialect.databaseID
        let condition = isIndexed(words.compactMap { SearchWords.stored($0, databaseID) }, in: &translator)
        if indexIsExact(translator) { return SQLTest(condition) }
        let joker = isIndexed([SearchWords.joker(databaseID)], in: &translator)
        return SQLTest(condition, inexactCases: [joker.text])
    }

    /// Returns the condition for candidate rows, including those that have more words than the index holds.
    static func candidates(_ words: [String], _ translator: inout Translator) -> SQLCondition? {
        let databaseID = translator.dialect.databaseID
        let stored = words.compactMap { SearchWords.stored($0, databaseID) }
        return isIndexed(stored + [SearchWords.joker(databaseID)], in: &translator)
    }

    /// Returns the condition that a row contains one of some stored words, according to the index.
    private static func isIndexed(_ words: [String], in translator: inout Translator) -> SQLCondition {
        if words.isEmpty { return .never }
        return isFound(words.map(SearchWords.quoted).joined(separator: " | "), in: &translator)
    }

    /// Returns the condition that the index finds a row.
    static func isFound(_ query: String, in translator: inout Translator) -> SQLCondition {
        let parameter = translator.builder.parameter(.text(query))
        return .sql("\(translator.terms.name).\"___words\" @@ CAST(\(parameter) AS tsquery)")
    }

    static func isNear(_ key: Record.FieldKey, _ boxes: [BoundingBox], _ translator: inout Translator) -> SQLCondition?
    {
        guard case .term(let place) = translator.terms.meaning(of: key), place.isColumn else { return nil }
        func number(_ number: Double) -> String { translator.builder.parameter(.double(number)) }
        return .any(
            boxes.map { box in
                let (south, north) = (number(box.south), number(box.north))
                let (west, east) = (number(box.west), number(box.east))
                return .sql(
                    "\(place.text)[1] >= \(south) AND \(place.text)[1] <= \(north) "
                        + "AND \(place.text)[2] >= \(west) AND \(place.text)[2] <= \(east)")
            })
    }

    static func isInRanges(
        _ column: SQLTerm, _ ranges: [FoldedPrefix.Range], _ translator: inout Translator
    ) -> SQLCondition? {
        // The ranges begin and end with few characters, which an index holds whole.
        guard let key = column.key?.text else { return nil }
        return .any(
            ranges.map { range in
                let lower = "\(key) >= \(translator.builder.parameter(.stored(range.lower)))"
                let upper = range.upper.map { " AND \(key) < \(translator.builder.parameter(.stored($0)))" } ?? ""
                return .sql(lower + upper)
            })
    }

    /// Returns the condition unchanged: PostgreSQL estimates how many rows an index finds, and chooses well.
    static func refined(_ condition: SQLCondition, for filter: Filter, _ translator: inout Translator) -> SQLCondition {
        condition
    }
}

extension TransactionContext {
    /// Returns the numbers of the tables with a row that has too many words, or too long ones, for the index of words.
    ///
    /// Hardly any table has such a row. Without one, the index is exact.
    func tablesOverTermLimit(for plan: QueryPlan) throws -> Set<Int64> {
        guard let databaseID, plan.searchesWords else { return [] }
        let searchable = catalog.tables.filter { !$0.wordFields.isEmpty }
        if searchable.isEmpty { return [] }
        let joker = SearchWords.quoted(SearchWords.joker(databaseID))
        let parts = searchable.map { table in
            """
            SELECT CAST(\(table.id) AS bigint) WHERE EXISTS (\(Self.rows(of: table)))
            """
        }
        let found = try query(parts.joined(separator: " UNION ALL "), [.integer(databaseID), .text(joker)])
        return Set(found.rows.compactMap { $0.integer(0) })
    }

    /// Returns whether SQL computes the relevance of every record that a plan may find, if they are ordered by it.
    ///
    /// Hardly any table has a row that it cannot compute it for.
    func ranksRecords(of plan: QueryPlan, in table: Table) throws -> Bool {
        guard let databaseID, !plan.searches.isEmpty, schemaCache.hasRankedWords, !table.wordFields.isEmpty,
            plan.searches.allSatisfy({ $0.keys == table.wordFields })
        else { return false }
        let unranked = SearchWords.quoted(SearchWords.unranked(databaseID))
        return try query("\(Self.rows(of: table)) LIMIT 1", [.integer(databaseID), .text(unranked)]).count == 0
    }

    /// Returns the statement that finds the rows with a word, `$2`, in the database `$1`.
    ///
    /// MATERIALIZED makes PostgreSQL plan for all rows. It would plan for the first one by reading the whole table.
    private static func rows(of table: Table) -> String {
        """
        WITH rows AS MATERIALIZED (SELECT 1 FROM \(table.quoted) \
        WHERE "___words" @@ CAST($2 AS tsquery) AND "___database" = $1) SELECT 1 FROM rows
        """
    }
}

extension QueryPlan {
    /// Whether the plan is translated by what the server knows of the words of its tables.
    var searchesWords: Bool {
        !searches.isEmpty || filter.hasSearch || order.contains(where: \.countsBySearch)
    }
}

extension Filter.Comparison {
    /// Whether records are counted that a search for words finds.
    fileprivate var countsBySearch: Bool {
        var operands = [left, right]
        while let operand = operands.popLast() {
            if case .referring(_, _, let filter) = operand, filter.hasSearch { return true }
            operands += operand.operands
        }
        return false
    }
}

extension Sort {
    /// Whether records are sorted by the number of others that a search for words finds.
    fileprivate var countsBySearch: Bool { (try? counted())?.filter.hasSearch == true }
}

extension Filter {
    /// Whether the filter searches for words.
    var hasSearch: Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison): comparison.operator.findsWords || comparison.countsBySearch
        case .and(let children), .or(let children): children.contains(where: \.hasSearch)
        case .not(let child): child.hasSearch
        }
    }
}
