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
        where condition: SQLCondition, selecting expression: String,
        _ body: (StoredRecord, Statement, Int) throws -> Void
    ) throws {
        guard let clause = condition.clause else { return }
        let (decoder, selection) = try decoder(keys: [])
        // The expression comes after the decoder's columns, so the decoder ignores it.
        let sql = "SELECT \(selection), \(expression) FROM \(table.quoted)\(clause)"
        try search(sql, decoder, connection.recordResolver(for: plan)) { record, row in
            try body(record, row, Int(row.columnCount) - 1)
            return true
        }
    }

    func forEachValue(of term: SQLTerm, _ body: (FieldValue?) throws -> Void) throws {
        try forEachMatch(where: condition, valueOf: term, body)
    }

    func total(_ aggregate: Aggregate, of term: SQLTerm) throws -> FieldValue?? {
        // With no rows, the statement returns the aggregate of nothing.
        let condition = condition.isNever ? .sql("0") : condition
        return .some(try value(of: aggregate == .sum ? "cabinet_sum" : "cabinet_average", term, where: condition))
    }

    func extreme(of term: SQLTerm, isFirst: Bool) throws -> FieldValue? {
        try value(of: isFirst ? "min" : "max", term, where: condition)
    }

    private func value(of function: String, _ term: SQLTerm, where condition: SQLCondition) throws -> FieldValue? {
        var value: FieldValue?
        try forEachRow(selecting: "\(function)(\(term.text))", where: condition) { row in
            // A sum of integers may be a fraction, and a sum of nothing is an integer.
            value = term.kind == .number ? row.number(0) : try row.value(0, of: term.type, in: .default)
        }
        return value
    }
}

extension Statement {
    /// Returns the number in a column of the current row; `nil` if it is not a number.
    fileprivate func number(_ column: Int32) -> FieldValue? {
        switch kind(column) {
        case SQLITE_INTEGER: .int64(int64(column))
        case SQLITE_FLOAT: .double(double(column))
        default: nil
        }
    }
}
