import Cabinet
import SQLSupport

/// Full-text and location indexes, which return row numbers, so that SQLite may choose a better index.
extension SQLiteDialect {
    static func indexIsExact(_ translator: Translator) -> Bool { true }

    static func isIndexed(_ words: [String], _ translator: inout Translator) -> SQLTest? {
        candidates(words, &translator).map { SQLTest($0) }
    }

    /// FTS5 truncates longer words, and would find other words with the same beginning.
    static let maximumWordLength = 30_000

    static func candidates(_ words: [String], _ translator: inout Translator) -> SQLCondition? {
        guard let index = translator.terms.table.words, words.allSatisfy({ $0.utf8.count <= maximumWordLength }) else {
            return nil
        }
        let query = translator.builder.parameter(.text(words.map(quoted).joined(separator: " OR ")))
        return isFound(query, by: index, &translator)
    }

    /// Returns a word in a query of the index, without a quotation mark in it: it consists of letters, digits and marks.
    static func quoted(_ word: String) -> String { "\"\(word)\"" }

    /// Returns the condition that the index finds a row.
    ///
    /// - Parameter query: The index's query, as an expression.
    static func isFound(
        _ query: String, by index: TableIndexes.Words, _ translator: inout Translator
    ) -> SQLCondition {
        translator.dialect.usesVirtualTable = true
        let rows = "SELECT rowid FROM \(index.quoted) WHERE \(index.quoted) MATCH \(query)"
        return .sql("\(translator.terms.name).\"___insertion\" IN (\(rows))", depth: 5)
    }

    static func isNear(_ key: Record.FieldKey, _ boxes: [BoundingBox], _ translator: inout Translator) -> SQLCondition?
    {
        let table = translator.terms.table
        guard let places = table.places.first(where: { table.columns[$0.position].field == key }) else { return nil }
        translator.dialect.usesVirtualTable = true
        func number(_ number: Double) -> String { translator.builder.parameter(.double(number)) }
        let searches = boxes.map { box in
            """
            SELECT id FROM \(places.quoted) \
            WHERE south <= \(number(box.north)) AND north >= \(number(box.south)) \
            AND west <= \(number(box.east)) AND east >= \(number(box.west))
            """
        }
        return .sql(
            "\(translator.terms.name).\"___insertion\" IN (\(searches.joined(separator: " UNION ALL ")))", depth: 3)
    }

    /// Searches the index for each range: for an OR of ranges, SQLite would read the table.
    static func isInRanges(
        _ column: SQLTerm, _ ranges: [FoldedPrefix.Range], _ translator: inout Translator
    ) -> SQLCondition? {
        let table = translator.terms.table
        guard let name = column.column, table.trees.contains(where: { $0.first == name }) else { return nil }
        translator.dialect.usesVirtualTable = true
        let searches = ranges.map { range in
            let lower = "\(name) >= \(translator.builder.parameter(.text(range.lower)))"
            let upper = range.upper.map { " AND \(name) < \(translator.builder.parameter(.text($0)))" } ?? ""
            return "SELECT \"___insertion\" FROM \(table.quoted) WHERE \(lower)\(upper)"
        }
        return .sql(
            "\(translator.terms.name).\"___insertion\" IN (\(searches.joined(separator: " UNION ALL ")))", depth: 3)
    }

    // MARK: Choosing an index

    /// Records the indexes that can serve a condition on all records.
    ///
    /// SQLite chooses an index without knowing the number of rows that it finds. If its choice would be bad, the
    /// condition prevents it. A plus sign before an OR keeps SQLite from searching for each part separately, with the
    /// index of the zone for parts that have no other index.
    static func refined(_ condition: SQLCondition, for filter: Filter, _ translator: inout Translator) -> SQLCondition {
        if let use = indexUse(of: filter, translator.terms) {
            translator.dialect.usesFieldIndex = true
            if use == .equalValues { translator.dialect.usesEqualValues = true }
            return condition
        }
        if case .or = filter { return .sql("+(\(condition.text))", depth: condition.depth + 1) }
        return condition
    }

    /// The kind of an index search.
    private enum IndexUse {
        case equalValues
        case range
    }

    /// Returns the kind of index search that finds the records of a filter in all zones; `nil` if no index can.
    private static func indexUse(of filter: Filter, _ terms: RowTerms) -> IndexUse? {
        switch filter {
        case .and(let children):
            let uses = children.compactMap { indexUse(of: $0, terms) }
            return uses.contains(.equalValues) ? .equalValues : uses.first
        case .or(let children):
            let uses = children.map { indexUse(of: $0, terms) }
            return uses.contains(nil) ? nil : uses.contains(.range) ? .range : .equalValues
        case .constant, .not: return nil
        case .comparison(let comparison):
            guard isIndexed(comparison, terms) else { return nil }
            return [.equal, .in].contains(comparison.operator) ? .equalValues : .range
        }
    }

    private static func isIndexed(_ comparison: Filter.Comparison, _ terms: RowTerms) -> Bool {
        guard comparison.quantifier == .single, comparison.options.isEmpty else { return false }
        /// Whether an index covers a column that is compared with a value that does not depend on the row.
        func isIndexed(_ operand: Filter.Expression, comparedWith other: Filter.Expression) -> Bool {
            guard other.isConstant, let column = column(operand, terms) else { return false }
            if column.isID, [.equal, .in].contains(comparison.operator) { return other != .constant(nil) }
            return terms.table.isIndexed(column, forNil: other == .constant(nil))
        }
        let (left, right) = (comparison.left, comparison.right)
        return switch comparison.operator {
        case .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            isIndexed(left, comparedWith: right) || isIndexed(right, comparedWith: left)
        case .in, .between, .beginsWith: isIndexed(left, comparedWith: right)
        case .notEqual, .contains, .endsWith, .like, .matches, .tokenMatches, .search: false
        }
    }

    private static func column(_ operand: Filter.Expression, _ terms: RowTerms) -> SQLTerm? {
        guard case .field(let key) = operand, case .term(let term) = terms.meaning(of: key), term.isColumn else {
            return nil
        }
        return term
    }
}

extension Table {
    /// Whether an index finds the rows of all zones by the values of a column, or by nil.
    fileprivate func isIndexed(_ term: SQLTerm, forNil isForNil: Bool) -> Bool {
        // The index that every reference has omits rows without a reference.
        if term.type == .reference, term.targetZone == .row, !term.isID, !isForNil { return true }
        return trees.contains { $0.first == term.column }
    }
}

extension FilterTranslator {
    /// Returns the condition that a row is in the query's zone, in a form in which SQLite chooses the best index.
    ///
    /// SQLite does not know the numbers of rows, and considers an index on the zone as good as one on a field. If a
    /// field's index serves the filter, a plus sign keeps SQLite from the zone's index. A query without sort keys reads
    /// the zone's index in the order of insertion, unless a full-text or location index may find the records. If the
    /// table has no index by zone, it reads the table, whose rows are all in the default zone.
    ///
    /// In all other cases the statement declares that nearly all rows are in the zone. Then SQLite uses an index that
    /// begins with the zone only for its order.
    ///
    /// - Parameter order: The sort keys of the query; `nil` if any order is accepted.
    mutating func zoneCondition(of order: [Sort]?) -> SQLCondition {
        guard case .one(_, let id, let isOnly) = scope else { return .always }
        if isOnly { return .always }
        let isInZone = "\(terms.name).\"___zone\" = \(builder.parameter(.integer(id)))"
        if dialect.usesFieldIndex { return .sql("+\(isInZone)") }
        let isInOrderOfZone = (order?.isEmpty ?? false) && !dialect.usesVirtualTable
        if isInOrderOfZone { return .sql(terms.table.hasZoneIndex ? isInZone : "+\(isInZone)") }
        return .sql("likelihood(\(isInZone), 0.9)")
    }
}
