import CSQLite
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
        case .nothing: if parts.remainder != nil { try forEach(keys: []) { _, _ in } }
        case .term(let term):
            if parts.remainder == nil, let function = Self.function(for: aggregate, over: term) {
                return .some(try value(of: term, "SELECT \(function)(\(term.text)) FROM \(table.quoted)"))
            }
            try forEach(keys: [], selecting: term.text) { record, cell in
                try accumulator.add(
                    cell.statement.value(cell.column, of: term.type, in: record.recordID.zoneID, path: connection.path))
            }
        }
        return .some(accumulator.result)
    }

    /// The function of SQL that computes an aggregate as the core does; `nil` if there is none.
    private static func function(for aggregate: Aggregate, over term: SQLTerm) -> String? {
        switch (aggregate, term.kind) {
        case (.sum, .number?): "cabinet_sum"
        case (.average, .number?): "cabinet_average"
        case (.minimum, let kind?) where kind.hasOrder: "min"
        case (.maximum, let kind?) where kind.hasOrder: "max"
        default: nil
        }
    }

    private func value(of term: SQLTerm, _ sql: String) throws -> FieldValue? {
        guard let clause else { return try emptyValue(sql, term) }
        return try firstValue(sql + clause, term)
    }

    /// The value of no records, which is what the statement gives that selects none.
    private func emptyValue(_ sql: String, _ term: SQLTerm) throws -> FieldValue? {
        try firstValue(sql + " WHERE 0", term)
    }

    private func firstValue(_ sql: String, _ term: SQLTerm) throws -> FieldValue? {
        let statement = try connection.statement(sql, builder)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        // A sum of whole numbers may be a fraction, and a sum of nothing is whole.
        if term.kind == .number { return statement.number(0) }
        return try statement.value(0, of: term.type, in: .default, path: connection.path)
    }

    /// Counts the records by the values of a field, or of what a key path leads to.
    ///
    /// - Returns: `nil` if SQL does not know what the key stands for, or cannot group by its values.
    func counts(by key: Record.FieldKey) throws -> [ValueCount]? {
        guard case .term(let term) = terms.meaning(of: key), term.kind != nil else { return nil }
        if parts.remainder != nil { return try evaluatedCounts(by: term) }
        guard let clause else { return [] }
        var zoneID = RecordZone.ID.default
        var zone = "NULL"
        if term.kind == .reference, term.targetZone == .row {
            if case .one(let only, _, _) = scope {
                // An index on the field alone can group what is in one zone.
                zoneID = only
            } else {
                // References with the same name point to different records in different zones.
                zone = "\(terms.name).\"___zone\""
            }
        }
        let groups = zone == "NULL" ? "1" : "1, 2"
        let sql = "SELECT \(term.text), \(zone), count(*) FROM \(table.quoted)\(clause) GROUP BY \(groups)"
        let statement = try connection.statement(sql, builder)
        defer { statement.reset() }
        var tally = ValueCounter()
        while try statement.step() {
            if statement.kind(1) != SQLITE_NULL, let found = try connection.zone(statement.int64(1)) { zoneID = found }
            let value = try statement.value(0, of: term.type, in: zoneID, path: connection.path)
            tally.add(value, count: Int(clamping: statement.int64(2)))
        }
        return tally.counts
    }

    /// Counts the records that the evaluator accepts by the values of an expression.
    private func evaluatedCounts(by term: SQLTerm) throws -> [ValueCount] {
        var tally = ValueCounter()
        try forEach(keys: [], selecting: term.text) { record, cell in
            let zoneID = term.targetZone == .default ? .default : record.recordID.zoneID
            tally.add(try cell.statement.value(cell.column, of: term.type, in: zoneID, path: connection.path))
        }
        return tally.counts
    }
}

extension Statement {
    /// The number in a column of the current row; `nil` if there is none.
    fileprivate func number(_ column: Int32) -> FieldValue? {
        switch kind(column) {
        case SQLITE_INTEGER: .int64(int64(column))
        case SQLITE_FLOAT: .double(double(column))
        default: nil
        }
    }

    /// The value of a type that SQL compares, in a column of the current row.
    ///
    /// - Parameter zoneID: The zone of the records that references point to.
    fileprivate func value(
        _ column: Int32, of type: FieldType, in zoneID: RecordZone.ID, path: String
    ) throws -> FieldValue? {
        let kind = kind(column)
        if kind == SQLITE_NULL { return nil }
        switch (type.scalar, kind) {
        case _ where type.isList: break
        case (.string, SQLITE_TEXT): if let text = string(column) { return .string(text) }
        case (.int64, SQLITE_INTEGER): return .int64(int64(column))
        case (.int64, SQLITE_FLOAT), (.double, SQLITE_INTEGER), (.double, SQLITE_FLOAT): return .double(double(column))
        case (.timestamp, SQLITE_INTEGER), (.timestamp, SQLITE_FLOAT):
            return .timestamp(Date(timeIntervalSinceReferenceDate: double(column)))
        case (.bytes, SQLITE_BLOB): return .bytes(data(column))
        case (.reference, SQLITE_TEXT):
            if let name = string(column) {
                return .reference(Reference(recordID: RecordID(recordName: name, zoneID: zoneID), action: .none))
            }
        case (.location, SQLITE_TEXT):
            if let location = try? ListCoding.location(from: utf8(column)) { return .location(location) }
        default: break
        }
        throw SQLiteFailure.damaged(path: path, "a column does not hold what its field's type asks for")
    }
}

extension Connection {
    /// Computes one value of a query's records; `nil` if that is not for SQL to do.
    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) throws -> FieldValue?? {
        guard let search = try PageSearch(plan, for: .all, on: self) else {
            return .some(AggregateAccumulator(aggregate).result)
        }
        return try search.value(of: aggregate, over: key)
    }

    /// Counts a query's records by values; `nil` if that is not for SQL to do.
    func counts(by key: Record.FieldKey, matching plan: QueryPlan) throws -> [ValueCount]? {
        guard let search = try PageSearch(plan, for: .all, on: self) else { return [] }
        return try search.counts(by: key)
    }
}
