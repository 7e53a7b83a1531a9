import Cabinet
import SQLSupport

/// Sort orders and page positions in SQL.
extension PostgresDialect: KeysetDialect {
    static let comparesRows = true

    static func term(_ term: SQLTerm, sortedBy sort: Sort, _ builder: inout SQLBuilder) -> SQLTerm? {
        // PostgreSQL cannot sort text under options, and computes distances with rounding errors.
        if sort.origin != nil || !sort.options.isEmpty && term.kind == .text { return nil }
        return term.kind != nil && term.inexactCases.isEmpty ? term : nil
    }

    /// Returns the column that ``PageSearch`` adds; without it, the core reads the searched texts of the rows found.
    static func relevance(to searches: [PlannedSearch], _ translator: inout Translator) -> SQLTerm? {
        guard translator.dialect.ranksRecords else { return nil }
        return SQLTerm(text: "\(translator.terms.name).\(points)", type: .int64)
    }

    /// Returns the direction of a sort key; a record name needs no order of nulls, because it is never null.
    static func direction(of term: SQLTerm, ascending: Bool) -> String {
        if term.isID { return ascending ? "" : " DESC" }
        return ascending ? " ASC NULLS FIRST" : " DESC NULLS LAST"
    }

    static func isOrdered(_ table: Table, by term: SQLTerm, in scope: ZoneScope) -> Bool {
        if term.isID {
            if case .one = scope { return true }
            return false
        }
        guard let column = term.column else { return false }
        let key = TableIndexes.key(of: column, type: term.type)
        return table.built.trees.contains { $0.keys.contains("\(key) NULLS FIRST") }
    }

    static func value(_ value: FieldValue, at sort: Sort) -> SQLValue {
        // For a value that SQL cannot compare, use a key that no record has.
        value.sqlValue ?? .text("")
    }

    static func prefix(of parameter: String, type: FieldType) -> String { TableIndexes.key(of: parameter, type: type) }

    static func scanned(_ condition: SQLCondition) -> SQLCondition { condition }
}

typealias KeysetTranslator = SQLSupport.KeysetTranslator<PostgresDialect>

extension KeysetTranslator {
    /// Whether an index delivers the rows of every range in order; for descending keys, rows with equal keys are sorted.
    var isAscending: Bool { keys.allSatisfy(\.sort.ascending) }

    /// Whether the order by prefixes may differ from the order by values.
    var isCut: Bool { !isWhole && keys.contains { $0.term?.key != nil } }

    /// The prefixes among the keys, with their fields if the keys are fields of the record itself.
    var cutKeys: [(field: Record.FieldKey?, key: SQLKey)] {
        keys.compactMap { key in key.term?.key.map { (key.field, $0) } }
    }

    /// The expression for whether a row has text or bytes that the prefix truncates.
    var isLong: String {
        let tests = keys.compactMap { key -> String? in
            guard let term = key.term, let cut = term.key else { return nil }
            // The number of bytes is known already. Count characters only if there are enough bytes.
            let length = "octet_length(\(term.text)) >= \(cut.length)"
            return "coalesce(\(cut.isOfBytes ? length : "\(length) AND length(\(cut.text)) >= \(cut.length)"), FALSE)"
        }
        return tests.isEmpty ? "FALSE" : tests.joined(separator: " OR ")
    }

    /// Whether a position has long values, which must be compared in full.
    fileprivate func isLong(_ position: QueryPosition) -> Bool {
        !zip(keys, position.values).allSatisfy { key, value in
            guard let key = key.term?.key, let value = value?.sqlValue else { return true }
            return key.isWhole(value)
        }
    }
}

extension PageSearch {
    /// The order in SQL; `nil` if SQL cannot produce it.
    var keyset: KeysetTranslator? {
        var translator = translator
        guard var keyset = KeysetTranslator(plan, &translator) else { return nil }
        keyset.isWhole = plan.position.map(keyset.isLong) ?? false
        return keyset
    }

    /// Returns the ORDER BY clause; empty if any order is correct, or if there is at most one row.
    func orderClause(_ keyset: KeysetTranslator) -> String {
        guard plan.isOrdered else { return "" }
        guard let count = uniqueCount(of: keyset) else { return " ORDER BY \(keyset.order)" }
        let terms = keyset.keys.prefix(count).flatMap(keyset.terms)
        return terms.isEmpty ? "" : " ORDER BY \(terms.joined(separator: ", "))"
    }

    /// Returns a condition that all rows meet and that lets PostgreSQL use the partial index of insertion numbers for the
    /// order.
    ///
    /// Insertion numbers are never negative, and only a strict comparison implies that they are not null.
    func isInIndex(_ keyset: KeysetTranslator) -> SQLCondition {
        guard plan.isOrdered, keyset.keys.allSatisfy({ $0.term == nil }), uniqueCount(of: keyset) == nil else {
            return .always
        }
        return .sql("\(keyset.insertionNumber) >= 0")
    }

    /// Returns how many of the leading keys identify a row together; `nil` if no number of keys does.
    private func uniqueCount(of keyset: KeysetTranslator) -> Int? {
        // In one zone, no two records have the same name.
        guard case .one = scope else { return nil }
        if plan.filter.namesOneRecord { return 0 }
        return keyset.keys.firstIndex { $0.term?.isID == true }.map { $0 + 1 }
    }
}

extension Filter {
    /// Whether the filter matches at most one record of a zone, because it names the record.
    fileprivate var namesOneRecord: Bool {
        switch self {
        case .comparison(let comparison):
            guard comparison.operator == .equal, case .field(SystemField.recordID.rawValue) = comparison.left,
                case .constant = comparison.right
            else { return false }
            return true
        case .and(let children): return children.contains(where: \.namesOneRecord)
        case .constant, .or, .not: return false
        }
    }
}
