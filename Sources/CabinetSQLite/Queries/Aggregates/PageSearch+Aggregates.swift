import CSQLite
import Cabinet
import Foundation
import SQLSupport

/// Counts and aggregates of all records of a query.
extension PageSearch {
    func decidedCount() throws -> Int {
        guard parts.remainder == nil, let clause else { return 0 }
        let statement = try connection.statement("SELECT count(*) FROM \(table.quoted)\(clause)", builder)
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.int64(0)) : 0
    }

    func countDecided(
        by term: SQLTerm, zone: String?, zoneID: RecordZone.ID, _ counter: inout ValueCounter
    ) throws {
        guard parts.remainder == nil, let clause else { return }
        // An index on the field alone can group the rows of one zone.
        let groups = zone == nil ? "1" : "1, 2"
        let sql = "SELECT \(term.text), \(zone ?? "NULL"), count(*) FROM \(table.quoted)\(clause) GROUP BY \(groups)"
        let statement = try connection.statement(sql, builder)
        defer { statement.reset() }
        var zoneID = zoneID
        while try statement.step() {
            if statement.kind(1) != SQLITE_NULL, let found = try connection.zone(statement.int64(1)) { zoneID = found }
            let value = try statement.value(0, of: term.type, in: zoneID, path: connection.path)
            counter.add(value, count: Int(clamping: statement.int64(2)))
        }
    }

    func forEachEvaluated(selecting term: SQLTerm?, _ body: (FieldValue?) throws -> Void) throws {
        guard let clause else { return }
        var (decoder, selection) = try decoder(keys: [])
        // After the columns of the decoder, which ignores it.
        let extra = term.map { ", \($0.text)" } ?? ""
        let sql = "SELECT \(selection)\(extra) FROM \(table.quoted)\(clause)"
        try search(sql, &decoder, connection.recordResolver) { record, statement in
            let value = try term.flatMap { term in
                try statement.value(
                    statement.columnCount - 1, of: term.type, in: term.targetZone(for: record), path: connection.path)
            }
            try body(value)
            return true
        }
    }

    func forEachValue(of term: SQLTerm, _ body: (FieldValue?) throws -> Void) throws {
        try forEachEvaluated(selecting: term, body)
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

    func computedValue(of aggregate: Aggregate, over term: SQLTerm) throws -> FieldValue?? {
        guard let function = Self.function(for: aggregate, over: term) else { return nil }
        // Of no rows, too, the statement gives the value.
        let sql = "SELECT \(function)(\(term.text)) FROM \(table.quoted)\(clause ?? " WHERE 0")"
        let statement = try connection.statement(sql, builder)
        defer { statement.reset() }
        guard try statement.step() else { return .some(nil) }
        // A sum of whole numbers may be a fraction, and a sum of nothing is whole.
        if term.kind == .number { return .some(statement.number(0)) }
        return .some(try statement.value(0, of: term.type, in: .default, path: connection.path))
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
