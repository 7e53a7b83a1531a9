import Cabinet
import Foundation

/// Translates the order of a query, and a place in it, to SQL.
struct KeysetTranslator {
    /// A sort key: a column, or `nil` for a field that no record has.
    private let keys: [(column: String?, ascending: Bool)]
    private let scope: ZoneScope
    /// Whether an index may have the rows in this order.
    private let isIndexed: Bool

    init(plan: QueryPlan, table: Table, scope: ZoneScope) {
        keys = plan.order.map { (SQLColumn($0.key, table: table, fields: plan.fields)?.name, $0.ascending) }
        self.scope = scope
        isIndexed = keys.first?.column.map(table.isOrdered) ?? false
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

    /// The conditions that a row comes after a place in the order: each holds for a stretch of the order, and one stretch
    /// follows the other.
    ///
    /// In a stretch some keys are those of the place and the next one lies beyond, so that an index finds its beginning,
    /// however many rows come before. Without an index there is one stretch, so that the rows are gone through once.
    func stretches(
        after position: QueryPosition, zones: ZoneTable, _ builder: inout SQLBuilder
    ) -> [SQLCondition] {
        let parameters = position.values.map { $0.flatMap(Self.sqlValue).map { builder.parameter($0) } }
        let name = builder.parameter(.text(position.recordID.recordName))
        let same = zip(keys, parameters).map { Self.same($0.column, $1) }
        var stretches = [SQLCondition.all(same + [tie(position.recordID.zoneID, name: name, zones: zones)])]
        for (index, (key, parameter)) in zip(keys, parameters).enumerated().reversed() {
            for beyond in Self.beyond(key.column, ascending: key.ascending, parameter) {
                stretches.append(.all(same[..<index] + [beyond]))
            }
        }
        if isIndexed || stretches.count == 1 { return stretches }
        guard case .sql(let text, let depth) = SQLCondition.any(stretches) else { return [.any(stretches)] }
        // The sign keeps SQLite from going through the rows for each part of the OR.
        return [.sql("+(\(text))", depth: depth + 1)]
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

    /// The condition that a column has the value of a place's key.
    private static func same(_ column: String?, _ parameter: String?) -> SQLCondition {
        switch (column, parameter) {
        case (nil, nil): .always
        case (nil, _?): .never
        case (let column?, nil): .sql("\(column) IS NULL")
        case (let column?, let parameter?): .sql("\(column) = \(parameter)")
        }
    }

    /// The conditions that a column has a value after that of a place's key, in their order.
    private static func beyond(_ column: String?, ascending: Bool, _ parameter: String?) -> [SQLCondition] {
        switch (column, parameter) {
        case (nil, nil): []
        case (nil, _?): ascending ? [] : [.always]
        case (let column?, nil): ascending ? [.sql("\(column) IS NOT NULL")] : []
        case (let column?, let parameter?):
            ascending
                ? [.sql("\(column) > \(parameter)")] : [.sql("\(column) < \(parameter)"), .sql("\(column) IS NULL")]
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
