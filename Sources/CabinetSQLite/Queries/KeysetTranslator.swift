import Cabinet
import Foundation

/// Translates the order of a query, and a place in it, to SQL.
struct KeysetTranslator {
    /// A sort key: a column, or `nil` for a field that no record has.
    private let keys: [(column: String?, ascending: Bool)]
    private let scope: ZoneScope

    init(plan: QueryPlan, table: Table, scope: ZoneScope) {
        keys = plan.order.map { (SQLColumn($0.key, table: table, fields: plan.fields)?.name, $0.ascending) }
        self.scope = scope
    }

    /// The terms of ORDER BY.
    ///
    /// SQLite puts NULL before all values, as Cabinet puts nil.
    var order: String {
        var terms = keys.compactMap { key in key.column.map { key.ascending ? $0 : "\($0) DESC" } }
        terms.append(#""___recordID""#)
        if case .several(let ranking) = scope { terms.append(Self.rank(ranking)) }
        return terms.joined(separator: ", ")
    }

    /// The condition that a row comes after a place in the order.
    func condition(
        after position: QueryPosition, zones: ZoneTable, _ builder: inout SQLBuilder
    ) -> SQLCondition {
        let parameters = position.values.map { $0.flatMap(Self.sqlValue).map { builder.parameter($0) } }
        let name = builder.parameter(.text(position.recordID.recordName))
        var after = tie(position.recordID.zoneID, name: name, zones: zones)
        for (key, parameter) in zip(keys, parameters).reversed() {
            let (isAfter, isSame) = Self.comparison(key.column, ascending: key.ascending, with: parameter)
            after = .any([isAfter, .all([isSame, after])])
        }
        return .all([start(parameters.first ?? nil, name: name), after])
    }

    /// A condition that follows from the other, and that lets an index on the first key begin at the right place.
    private func start(_ parameter: String?, name: String) -> SQLCondition {
        guard let first = keys.first else {
            if case .several = scope { return .sql("\"___recordID\" >= \(name)") }
            return .always
        }
        guard let column = first.column, let parameter, first.ascending else { return .always }
        return .sql("\(column) >= \(parameter)")
    }

    /// The condition that a row whose sort keys are equal to the position's comes after it.
    private func tie(_ zoneID: RecordZone.ID, name: String, zones: ZoneTable) -> SQLCondition {
        switch scope {
        case .one(let only, _, _):
            return .sql("\"___recordID\" \(ZoneTable.precedes(zoneID, only) ? ">=" : ">") \(name)")
        case .several(let ranking):
            let first =
                ranking.firstIndex { zones[$0].map { ZoneTable.precedes(zoneID, $0) } ?? false } ?? ranking.count
            return .sql(
                "\"___recordID\" > \(name) OR (\"___recordID\" = \(name) AND \(Self.rank(ranking)) >= \(first))",
                depth: 2)
        }
    }

    private static func comparison(
        _ column: String?, ascending: Bool, with parameter: String?
    ) -> (isAfter: SQLCondition, isSame: SQLCondition) {
        switch (column, parameter) {
        case (nil, nil): (.never, .always)
        case (nil, _?): (ascending ? .never : .always, .never)
        case (let column?, nil): (ascending ? .sql("\(column) IS NOT NULL") : .never, .sql("\(column) IS NULL"))
        case (let column?, let parameter?):
            (
                .sql(ascending ? "\(column) > \(parameter)" : "\(column) < \(parameter) OR \(column) IS NULL"),
                .sql("\(column) = \(parameter)")
            )
        }
    }

    /// The place of a row's zone in the order of zones.
    private static func rank(_ ranking: [Int64]) -> String {
        let cases = ranking.enumerated().map { "WHEN \($1) THEN \($0)" }.joined(separator: " ")
        return "CASE \"___zone\" \(cases) END"
    }

    private static func sqlValue(_ value: FieldValue) -> SQLValue? {
        switch value {
        case .string(let text): .text(text)
        case .int64(let number): .integer(number)
        case .double(let number): .real(number)
        case .timestamp(let date): .real(date.timeIntervalSinceReferenceDate)
        case .bytes(let data): .blob(data)
        case .reference(let reference): .text(reference.recordID.recordName)
        // Validation has refused to sort by these.
        case .location, .asset, .list: nil
        }
    }
}
