import Cabinet
import SQLSupport

typealias KeysetTranslator = SQLSupport.KeysetTranslator<SQLiteDialect>

extension SQLiteDialect: KeysetDialect {
    /// SQLite uses only the first column of a row value to search an index.
    static var comparesRows: Bool { false }

    static func term(_ term: SQLTerm, sortedBy sort: Sort, _ builder: inout SQLBuilder) -> SQLTerm? {
        if let origin = sort.origin, term.type == .location { return distance(term, origin, &builder) }
        if sort.options.isEmpty || term.kind != .text { return term }
        return SQLTerm(
            text: "cabinet_sort_key(\(term.text), \(sort.options.rawValue))", type: term.type, depth: term.depth + 1)
    }

    /// SQLite sorts NULL before all values, as Cabinet sorts nil.
    static func direction(of term: SQLTerm, ascending: Bool) -> String { ascending ? "" : " DESC" }

    /// `cabinet_record` has the records of a zone in the order of their names.
    static func isOrdered(_ table: Table, by term: SQLTerm, in scope: ZoneScope) -> Bool {
        if case .one = scope, term.isID { return true }
        return table.trees.contains { tree in tree.contains { $0 == term.column } }
    }

    static func value(_ value: FieldValue, at sort: Sort) -> SQLValue {
        if case .string(let text) = value, !sort.options.isEmpty { return .text(sort.options.key(of: text)) }
        return value.sqlValue ?? .text("")
    }

    /// SQLite's indexes contain whole values.
    static func prefix(of parameter: String, type: FieldType) -> String { parameter }

    /// The plus sign keeps SQLite from searching for each part of an OR.
    static func scanned(_ condition: SQLCondition) -> SQLCondition {
        guard case .sql(let text, let depth) = condition else { return condition }
        return .sql("+(\(text))", depth: depth + 1)
    }
}
