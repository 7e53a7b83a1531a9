import Cabinet
import Foundation

/// Translates the order of a query, and a place in it, to SQL.
struct KeysetTranslator {
    /// A sort key: an expression, or `nil` for what is nil in every record.
    private struct Key {
        let term: SQLTerm?
        let sort: Sort
    }

    private let keys: [Key]
    private let scope: ZoneScope
    /// The table as columns are written with it.
    private let table: String

    /// - Parameter builder: Takes the values that the sort keys need.
    /// - Returns: `nil` if SQL cannot sort so.
    init?(plan: QueryPlan, terms: RowTerms, scope: ZoneScope, _ builder: inout SQLBuilder) {
        var keys: [Key] = []
        for sort in plan.order {
            switch terms.meaning(of: sort.key) {
            case .unknown: return nil
            case .nothing: keys.append(Key(term: nil, sort: sort))
            case .term(let term): keys.append(Key(term: Self.term(term, sort, &builder), sort: sort))
            }
        }
        // SQLite's parser takes expressions only so deep, and a key stands within as many parentheses as there are keys.
        guard keys.allSatisfy({ ($0.term?.depth ?? 0) + 2 * keys.count < SQLCondition.maximumDepth }) else { return nil }
        self.keys = keys
        self.scope = scope
        table = terms.name
    }

    /// What records are sorted by, for a field's value.
    private static func term(_ term: SQLTerm, _ sort: Sort, _ builder: inout SQLBuilder) -> SQLTerm {
        if let origin = sort.origin, term.type == .location {
            return FilterTranslator.distance(from: term, to: origin, &builder)
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
        terms.append(name)
        if case .several(let ranking) = scope { terms.append(rank(ranking)) }
        return terms.joined(separator: ", ")
    }

    private var name: String { "\(table).\"___recordID\"" }

    /// The condition that a row comes after a place in the order.
    func condition(
        after position: QueryPosition, zones: ZoneTable, _ builder: inout SQLBuilder
    ) -> SQLCondition {
        let parameters = zip(keys, position.values).map { key, value in
            value.flatMap { Self.sqlValue($0, key.sort) }.map { builder.parameter($0) }
        }
        let name = builder.parameter(.text(position.recordID.recordName))
        var after = tie(position.recordID.zoneID, name: name, zones: zones)
        for (key, parameter) in zip(keys, parameters).reversed() {
            let (isAfter, isSame) = Self.comparison(key.term, ascending: key.sort.ascending, with: parameter)
            after = .any([isAfter, .all([isSame, after])])
        }
        return .all([start(parameters.first ?? nil, name: name), after])
    }

    /// A condition that follows from the other, and that lets an index on the first key begin at the right place.
    private func start(_ parameter: String?, name: String) -> SQLCondition {
        guard let first = keys.first else {
            if case .several = scope { return .sql("\(self.name) >= \(name)") }
            return .always
        }
        guard let term = first.term, term.isColumn, let parameter, first.sort.ascending else { return .always }
        return .sql("\(term.text) >= \(parameter)")
    }

    /// The condition that a row whose sort keys are equal to the position's comes after it.
    private func tie(_ zoneID: RecordZone.ID, name: String, zones: ZoneTable) -> SQLCondition {
        switch scope {
        case .one(let only, _, _):
            return .sql("\(self.name) \(ZoneTable.precedes(zoneID, only) ? ">=" : ">") \(name)")
        case .several(let ranking):
            let first =
                ranking.firstIndex { zones[$0].map { ZoneTable.precedes(zoneID, $0) } ?? false } ?? ranking.count
            return .sql(
                "\(self.name) > \(name) OR (\(self.name) = \(name) AND \(rank(ranking)) >= \(first))", depth: 2)
        }
    }

    private static func comparison(
        _ term: SQLTerm?, ascending: Bool, with parameter: String?
    ) -> (isAfter: SQLCondition, isSame: SQLCondition) {
        switch (term, parameter) {
        case (nil, nil): (.never, .always)
        case (nil, _?): (ascending ? .never : .always, .never)
        case (let term?, nil):
            (ascending ? term.condition("\(term.text) IS NOT NULL") : .never, term.condition("\(term.text) IS NULL"))
        case (let term?, let parameter?):
            (
                term.condition(
                    ascending
                        ? "\(term.text) > \(parameter)" : "\(term.text) < \(parameter) OR \(term.text) IS NULL"),
                term.condition("\(term.text) = \(parameter)")
            )
        }
    }

    /// The place of a row's zone in the order of zones.
    private func rank(_ ranking: [Int64]) -> String {
        let cases = ranking.enumerated().map { "WHEN \($1) THEN \($0)" }.joined(separator: " ")
        return "CASE \(table).\"___zone\" \(cases) END"
    }

    /// A position's value as it is compared with a sort key.
    private static func sqlValue(_ value: FieldValue, _ sort: Sort) -> SQLValue? {
        if case .string(let text) = value, !sort.options.isEmpty { return .text(sort.options.key(of: text)) }
        return value.sqlValue
    }
}
