import Cabinet
import SQLSupport

/// Orders and positions in PostgreSQL's SQL.
extension PostgresDialect: KeysetDialect {
    static let comparesRows = true

    static func term(_ term: SQLTerm, sortedBy sort: Sort, _ builder: inout SQLBuilder) -> SQLTerm? {
        // PostgreSQL does not know the order of text under options, nor distances to the last digit.
        if sort.origin != nil || !sort.options.isEmpty && term.kind == .text { return nil }
        return term.kind != nil && term.inexactCases.isEmpty ? term : nil
    }

    /// A record name is never null, and the primary key says nothing about nulls.
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
        // What SQL cannot compare stands for a key that no record has.
        value.sqlValue ?? .text("")
    }

    static func prefix(of parameter: String, type: FieldType) -> String { TableIndexes.key(of: parameter, type: type) }

    static func scanned(_ condition: SQLCondition) -> SQLCondition { condition }
}

typealias KeysetTranslator = SQLSupport.KeysetTranslator<PostgresDialect>

extension KeysetTranslator {
    /// Whether the rows of every range come from an index one by one; where keys descend, those with equal keys are sorted.
    var isAscending: Bool { keys.allSatisfy(\.sort.ascending) }

    /// Whether the order by prefixes may not be the order.
    var isCut: Bool { !isWhole && keys.contains { $0.term?.key != nil } }

    /// The prefixes among the keys, and the fields of these, if the rows themselves have them.
    var cutKeys: [(field: Record.FieldKey?, key: SQLKey)] {
        keys.compactMap { key in key.term?.key.map { (key.field, $0) } }
    }

    /// The expression that says whether a row has a text, or bytes, of which only the prefix was compared.
    var isLong: String {
        let tests = keys.compactMap { key -> String? in
            guard let term = key.term, let cut = term.key else { return nil }
            // Bytes are counted already; characters are counted only where they may be enough.
            let length = "octet_length(\(term.text)) >= \(cut.length)"
            return "coalesce(\(cut.isOfBytes ? length : "\(length) AND length(\(cut.text)) >= \(cut.length)"), FALSE)"
        }
        return tests.isEmpty ? "FALSE" : tests.joined(separator: " OR ")
    }

    /// Whether a position lies between long values, so that only the whole of them finds it.
    fileprivate func isLong(_ position: QueryPosition) -> Bool {
        !zip(keys, position.values).allSatisfy { key, value in
            guard let key = key.term?.key, let value = value?.sqlValue else { return true }
            return key.isWhole(value)
        }
    }
}

extension PageSearch {
    /// The order in SQL; `nil` if SQL cannot sort so.
    var keyset: KeysetTranslator? {
        var builder = builder
        guard var keyset = KeysetTranslator(plan.order, terms: terms, scope: scope, &builder) else { return nil }
        keyset.isWhole = plan.position.map(keyset.isLong) ?? false
        return keyset
    }

    /// The clause that sorts rows; empty if any order will do, or if there is one row at most.
    func orderClause(_ keyset: KeysetTranslator) -> String {
        guard plan.isOrdered else { return "" }
        guard let count = uniqueCount(of: keyset) else { return " ORDER BY \(keyset.order)" }
        let terms = keyset.keys.prefix(count).flatMap(keyset.terms)
        return terms.isEmpty ? "" : " ORDER BY \(terms.joined(separator: ", "))"
    }

    /// The condition that all rows meet and that lets PostgreSQL use the index of insertion numbers, which is partial, for the order.
    ///
    /// Only a strict comparison implies that a number is not null, and no number is negative.
    func isInIndex(_ keyset: KeysetTranslator) -> SQLCondition {
        guard plan.isOrdered, keyset.keys.allSatisfy({ $0.term == nil }), uniqueCount(of: keyset) == nil else {
            return .always
        }
        return .sql("\(keyset.insertionNumber) >= 0")
    }

    /// The number of keys that no two rows have in common; `nil` if rows may have all in common.
    private func uniqueCount(of keyset: KeysetTranslator) -> Int? {
        // In one zone, no two records have the same name.
        guard case .one = scope else { return nil }
        if plan.filter.namesOneRecord { return 0 }
        return keyset.keys.firstIndex { $0.term?.isID == true }.map { $0 + 1 }
    }
}

extension Filter {
    /// Whether the filter matches at most one record of a zone, because it says which name the record has.
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
