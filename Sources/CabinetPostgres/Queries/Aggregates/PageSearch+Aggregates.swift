import Cabinet
import Foundation
import SQLSupport

/// Values that are made of all records of a query.
extension PageSearch {
    /// Computes one value of a field, or of what a key path leads to.
    ///
    /// - Returns: The value, in an optional of its own; `nil` if SQL does not know what the key stands for.
    func value(of aggregate: Aggregate, over key: Record.FieldKey) throws -> FieldValue?? {
        var accumulator = AggregateAccumulator(aggregate)
        switch terms.meaning(of: key) {
        case .unknown: return nil
        // What is evaluated may fail for a record, also if there is nothing to compute.
        case .nothing: if parts.remainder != nil { try forEachUnsure { _, _ in } }
        case .term(let term):
            guard term.inexactCases.isEmpty else { return nil }
            if parts.remainder == nil {
                switch (aggregate, term.kind) {
                case (.sum, .number?) where term.type == .int64, (.average, .number?) where term.type == .int64:
                    return .some(try wholeValue(of: aggregate, term))
                case (.minimum, let kind?) where kind.hasOrder, (.maximum, let kind?) where kind.hasOrder:
                    return .some(try extreme(of: term, isFirst: aggregate == .minimum))
                default: break
                }
                // SQL rounds each sum of fractions, and what comes out depends on the order.
                let isNoNull = SQLCondition.all([parts.bounds.necessary, .sql("\(term.text) IS NOT NULL")])
                guard let statement = statement(term.text, where: isNoNull) else { break }
                try view.forEachRow(of: statement.text, statement.values) { row in
                    try accumulator.add(try row.value(0, of: term.type, in: .default))
                    return true
                }
                break
            }
            try forEach(where: parts.bounds.necessary, selecting: term.text) { record, cell in
                try accumulator.add(try cell.row.value(cell.column, of: term.type, in: record.recordID.zoneID))
            }
        }
        return .some(accumulator.result)
    }

    /// The sum or average of whole numbers, which SQL adds up exactly, whatever comes out.
    private func wholeValue(of aggregate: Aggregate, _ term: SQLTerm) throws -> FieldValue? {
        let empty = AggregateAccumulator(aggregate).result
        guard let statement = statement("CAST(sum(\(term.text)) AS text), count(\(term.text))"),
            let row = try view.query(statement.text, statement.values).first, let sum = row.text(0),
            let count = row.integer(1)
        else { return empty }
        if aggregate == .sum, let whole = Int64(sum) { return .int64(whole) }
        // A number that is read from its digits is the nearest one.
        guard let rounded = Double(sum) else { throw PostgresFailure.damaged("a sum is no number: \(sum)") }
        return .double(aggregate == .sum ? rounded : rounded / Double(count))
    }

    /// The first or last value, which an index may have at its end.
    private func extreme(of term: SQLTerm, isFirst: Bool) throws -> FieldValue? {
        guard let key = term.key else { return try extreme(of: term, by: [term.text], isFirst: isFirst) }
        // The first of those that begin alike is the one, unless their beginnings are not all that there is of them.
        let value = try extreme(of: term, by: [key.text], isFirst: isFirst)
        if let stored = value?.sqlValue, !key.isWhole(stored) {
            return try extreme(of: term, by: [key.text, term.text], isFirst: isFirst)
        }
        return value
    }

    private func extreme(of term: SQLTerm, by columns: [String], isFirst: Bool) throws -> FieldValue? {
        let order = columns.map { "\($0) \(isFirst ? "ASC NULLS FIRST" : "DESC NULLS LAST")" }
        let isNoNull = SQLCondition.all([parts.bounds.necessary, .sql("\(columns[0]) IS NOT NULL")])
        guard
            let statement = statement(
                term.text, where: isNoNull, " ORDER BY \(order.joined(separator: ", ")) LIMIT 1"),
            let row = try view.query(statement.text, statement.values).first
        else { return nil }
        return try row.value(0, of: term.type, in: .default)
    }

    /// Counts the records by the values of a field, or of what a key path leads to.
    ///
    /// - Returns: `nil` if SQL does not know what the key stands for, or cannot group by its values.
    func counts(by key: Record.FieldKey) throws -> [ValueCount]? {
        guard case .term(let term) = terms.meaning(of: key), term.kind != nil, term.inexactCases.isEmpty else {
            return nil
        }
        var tally = ValueCounter()
        // References with the same name point to different records in different zones.
        var (zone, zoneID) = ("1", RecordZone.ID.default)
        if term.kind == .reference, term.targetZone == .row {
            if case .one(let only, _, _) = scope { zoneID = only } else { zone = "\(terms.name).\"___zone\"" }
        }
        let isZoned = zone != "1"
        if let sure = statement(
            "\(term.text), CAST(\(zone) AS bigint), count(*)", where: parts.bounds.sufficient, " GROUP BY 1, 2")
        {
            for row in try view.query(sure.text, sure.values).rows {
                if isZoned, let number = row.integer(1), let found = try view.zone(number) { zoneID = found }
                let value = try row.value(0, of: term.type, in: zoneID)
                tally.add(value, count: Int(clamping: row.integer(2) ?? 0))
            }
        }
        if parts.remainder != nil {
            try forEachUnsure(selecting: term.text) { record, cell in
                let zoneID = term.targetZone == .default ? .default : record.recordID.zoneID
                tally.add(try cell.row.value(cell.column, of: term.type, in: zoneID))
            }
        }
        return tally.counts
    }
}

extension QueryRow {
    /// The value of a type that SQL compares, in a column.
    ///
    /// - Parameter zoneID: The zone of the records that references point to.
    fileprivate func value(_ column: Int, of type: FieldType, in zoneID: RecordZone.ID) throws -> FieldValue? {
        if isNull(column) { return nil }
        let found: FieldValue?
        switch type {
        case .string: found = text(column).map { .string(StoredText.decoded($0)) }
        case .int64: found = integer(column).map(FieldValue.int64)
        case .double: found = double(column).map(FieldValue.double)
        case .timestamp: found = double(column).map { .timestamp(Date(timeIntervalSinceReferenceDate: $0)) }
        case .bytes: found = data(column).map(FieldValue.bytes)
        case .reference:
            found = text(column).map {
                let id = RecordID(recordName: StoredText.decoded($0), zoneID: zoneID)
                return .reference(Reference(recordID: id, action: .none))
            }
        default: found = nil
        }
        guard let found else { throw PostgresFailure.damaged("a column does not hold what its field's type asks for") }
        return found
    }
}

extension TransactionContext {
    /// Computes one value of a query's records; `nil` if that is not for SQL to do.
    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) throws -> FieldValue?? {
        guard let search = try PageSearch(plan, in: self) else { return .some(AggregateAccumulator(aggregate).result) }
        return try search.value(of: aggregate, over: key)
    }

    /// Counts a query's records by values; `nil` if that is not for SQL to do.
    func counts(by key: Record.FieldKey, matching plan: QueryPlan) throws -> [ValueCount]? {
        guard let search = try PageSearch(plan, in: self) else { return [] }
        return try search.counts(by: key)
    }
}
