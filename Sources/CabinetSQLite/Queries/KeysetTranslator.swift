import Cabinet
import Foundation
import SQLSupport

/// Translates the order of a query, and a place in it, to SQL.
struct KeysetTranslator {
    /// A sort key: an expression, or `nil` for what is nil in every record.
    private struct Key {
        let term: SQLTerm?
        let sort: Sort
    }

    private let keys: [Key]
    /// The column of the insertion number, which is the last key of every order.
    var insertionNumber: String
    /// Whether an index may have the rows in this order.
    private let isIndexed: Bool

    /// - Parameter builder: Takes the values that the sort keys need.
    /// - Returns: `nil` if SQL cannot sort so.
    init?(plan: QueryPlan, terms: RowTerms, _ builder: inout SQLBuilder) {
        var keys: [Key] = []
        for sort in plan.order {
            switch terms.meaning(of: sort.key) {
            case .unknown: return nil
            case .nothing: keys.append(Key(term: nil, sort: sort))
            case .term(let term): keys.append(Key(term: Self.term(term, sort, &builder), sort: sort))
            }
        }
        // SQLite's parser takes expressions only so deep, and a key stands within as many parentheses as there are keys.
        guard keys.allSatisfy({ ($0.term?.depth ?? 0) + 2 * keys.count < SQLiteDialect.maximumDepth }) else {
            return nil
        }
        self.keys = keys
        insertionNumber = terms.insertionNumber
        isIndexed = keys.first?.term?.column.map(terms.table.isOrdered) ?? false
    }

    /// What records are sorted by, for a field's value.
    private static func term(_ term: SQLTerm, _ sort: Sort, _ builder: inout SQLBuilder) -> SQLTerm {
        if let origin = sort.origin, term.type == .location {
            return SQLiteDialect.distance(term, origin, &builder)
        }
        if sort.options.isEmpty || term.kind != .text { return term }
        return SQLTerm(
            text: "cabinet_sort_key(\(term.text), \(sort.options.rawValue))", type: term.type, depth: term.depth + 1)
    }

    /// The terms of ORDER BY.
    ///
    /// SQLite puts NULL before all values, as Cabinet puts nil.
    var order: String {
        var terms = keys.compactMap { key in key.term.map { key.sort.ascending ? $0.text : "\($0.text) DESC" } }
        terms.append(insertionNumber)
        return terms.joined(separator: ", ")
    }

    /// The conditions that a row comes after a place in the order: each holds for a stretch of the order, and one stretch
    /// follows the other.
    ///
    /// In a stretch some keys are those of the place and the next one lies beyond, so that an index finds its beginning,
    /// however many rows come before. Without an index there is one stretch, so that the rows are gone through once.
    func stretches(after position: QueryPosition, _ builder: inout SQLBuilder) -> [SQLCondition] {
        let parameters = zip(keys, position.values).map { key, value in
            value.map { builder.parameter(Self.sqlValue($0, key.sort)) }
        }
        let number = builder.parameter(.integer(position.insertionNumber))
        let same = zip(keys, parameters).map { Self.same($0.term, $1) }
        var stretches = [SQLCondition.all(same + [.sql("\(insertionNumber) > \(number)")])]
        for (index, (key, parameter)) in zip(keys, parameters).enumerated().reversed() {
            for beyond in Self.beyond(key.term, ascending: key.sort.ascending, parameter) {
                stretches.append(.all(same[..<index] + [beyond]))
            }
        }
        if isIndexed || stretches.count == 1 { return stretches }
        guard case .sql(let text, let depth) = SQLCondition.any(stretches) else { return [.any(stretches)] }
        // The sign keeps SQLite from going through the rows for each part of the OR.
        return [.sql("+(\(text))", depth: depth + 1)]
    }

    /// The condition that an expression has the value of a place's key.
    private static func same(_ term: SQLTerm?, _ parameter: String?) -> SQLCondition {
        switch (term, parameter) {
        case (nil, nil): .always
        case (nil, _?): .never
        case (let term?, nil): condition(term, "\(term.text) IS NULL")
        case (let term?, let parameter?): condition(term, "\(term.text) = \(parameter)")
        }
    }

    /// The conditions that an expression has a value after that of a place's key, in their order.
    private static func beyond(_ term: SQLTerm?, ascending: Bool, _ parameter: String?) -> [SQLCondition] {
        switch (term, parameter) {
        case (nil, nil): []
        case (nil, _?): ascending ? [] : [.always]
        case (let term?, nil): ascending ? [condition(term, "\(term.text) IS NOT NULL")] : []
        case (let term?, let parameter?):
            ascending
                ? [condition(term, "\(term.text) > \(parameter)")]
                : [condition(term, "\(term.text) < \(parameter)"), condition(term, "\(term.text) IS NULL")]
        }
    }

    private static func condition(_ term: SQLTerm, _ text: String) -> SQLCondition { term.test(text).condition }

    /// A position's value as it is compared with a sort key.
    private static func sqlValue(_ value: FieldValue, _ sort: Sort) -> SQLValue {
        if case .string(let text) = value, !sort.options.isEmpty { return .text(sort.options.key(of: text)) }
        // What SQL cannot compare stands for a key that no record has: it comes after nil, whatever it is.
        return value.sqlValue ?? .text("")
    }
}
