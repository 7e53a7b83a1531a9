import CSQLite
import Cabinet
import Foundation
import SQLSupport

/// Counts and aggregates of all records of a query.
extension PageSearch {
    var decided: SQLCondition { parts.remainder == nil ? condition : .never }
    var undecided: SQLCondition { condition }

    func zone(_ number: Int64) throws -> RecordZone.ID? { try connection.zone(number) }

    func forEachRow(
        selecting selection: String, where condition: SQLCondition, _ end: String = "",
        _ body: (Statement) throws -> Void
    ) throws {
        guard let clause = condition.clause else { return }
        let statement = try connection.statement("SELECT \(selection) FROM \(table.quoted)\(clause)\(end)", builder)
        defer { statement.reset() }
        while try statement.step() { try body(statement) }
    }

    func forEachMatch(
        where condition: SQLCondition, selecting term: SQLTerm?, _ body: (FieldValue?) throws -> Void
    ) throws {
        guard let clause = condition.clause else { return }
        var (decoder, selection) = try decoder(keys: [])
        // The term comes after the decoder's columns, so the decoder ignores it.
        if let term { selection += ", \(term.text)" }
        let sql = "SELECT \(selection) FROM \(table.quoted)\(clause)"
        try search(sql, &decoder, connection.recordResolver) { record, row in
            try body(
                try term.flatMap {
                    try row.value(Int(row.columnCount) - 1, of: $0.type, in: $0.targetZone(for: record))
                })
            return true
        }
    }

    func forEachValue(of term: SQLTerm, _ body: (FieldValue?) throws -> Void) throws {
        try forEachMatch(where: condition, selecting: term, body)
    }

    /// Returns the SQL function that computes an aggregate as the core does; `nil` if there is none.
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
        var value: FieldValue?
        // With no rows, the statement returns the aggregate of nothing.
        let condition = condition.isNever ? .sql("0") : condition
        try forEachRow(selecting: "\(function)(\(term.text))", where: condition) { row in
            // A sum of integers may be a fraction, and a sum of nothing is an integer.
            value = term.kind == .number ? row.number(0) : try row.value(0, of: term.type, in: .default)
        }
        return .some(value)
    }
}

extension Statement: SQLRow {
    func integer(_ column: Int) -> Int64? {
        kind(Int32(column)) == SQLITE_INTEGER ? int64(Int32(column)) : nil
    }

    /// Returns the number in a column of the current row; `nil` if it is not a number.
    fileprivate func number(_ column: Int32) -> FieldValue? {
        switch kind(column) {
        case SQLITE_INTEGER: .int64(int64(column))
        case SQLITE_FLOAT: .double(double(column))
        default: nil
        }
    }

    func value(_ column: Int, of type: FieldType, in zoneID: RecordZone.ID) throws -> FieldValue? {
        let column = Int32(column)
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
        throw SQLiteFailure.damaged(path: handle.path, "a column has a value of another type than its field")
    }
}
