import Cabinet
import Foundation
import SQLSupport

/// Counts and aggregates of all records of a query.
extension PageSearch {
    var decided: SQLCondition { parts.bounds.sufficient }
    var undecided: SQLCondition { .all([parts.bounds.necessary, parts.bounds.sufficient.negated]) }

    func zone(_ number: Int64) throws -> RecordZone.ID? { try context.zone(number) }

    func forEachRow(
        selecting selection: String, where condition: SQLCondition, _ end: String, _ body: (QueryRow) throws -> Void
    ) throws {
        guard let statement = statement(selection, where: condition, end) else { return }
        for row in try context.query(statement.text, statement.values).rows { try body(row) }
    }

    func forEachValue(of term: SQLTerm, _ body: (FieldValue?) throws -> Void) throws {
        if parts.remainder != nil { return try forEachMatch(where: parts.bounds.necessary, valueOf: term, body) }
        // In SQL, the sum of fractions depends on the order of the rows, because each addition rounds.
        let isNotNull = SQLCondition.all([parts.bounds.necessary, .sql("\(term.text) IS NOT NULL")])
        guard let statement = statement(term.text, where: isNotNull) else { return }
        try context.forEachRow(of: statement.text, statement.values) { row in
            try body(try row.value(0, of: term.type, in: .default))
            return true
        }
    }

    func forEachMatch(
        where condition: SQLCondition, selecting expression: String,
        _ body: (StoredRecord, QueryRow, Int) throws -> Void
    ) throws {
        let decoder = decoder(keys: [])
        guard let statement = statement("\(decoder.selection(from: terms.name)), \(expression)", where: condition)
        else { return }
        var evaluation = try evaluation(decoder, resolver: context.recordResolver(for: plan)) { row, column, _ in
            (row, column)
        }
        try evaluation.runBlocking(statement) { found in
            for (record, (row, column)) in found { try body(record, row, column) }
            return true
        }
    }

    /// Computes the sum or average of whole numbers, which SQL computes exactly, without overflow.
    func total(_ aggregate: Aggregate, of term: SQLTerm) throws -> FieldValue?? {
        guard term.type == .int64 else { return nil }
        let empty = FieldValue??.some(AggregateAccumulator(aggregate).result)
        guard let statement = statement("CAST(sum(\(term.text)) AS text), count(\(term.text))"),
            let row = try context.query(statement.text, statement.values).first, let sum = row.text(0),
            let count = row.integer(1)
        else { return empty }
        if aggregate == .sum, let whole = Int64(sum) { return .int64(whole) }
        // Parsing the digits rounds only once, to the nearest number.
        guard let rounded = Double(sum) else { throw PostgresFailure.damaged("a sum is not a number: \(sum)") }
        return .double(aggregate == .sum ? rounded : rounded / Double(count))
    }

    /// Returns the first or last value, which an index may have at its end.
    func extreme(of term: SQLTerm, isFirst: Bool) throws -> FieldValue? {
        guard let key = term.key else { return try extreme(of: term, by: [term.text], isFirst: isFirst) }
        // The first value by prefix is the first value, unless the prefix is truncated.
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
            let row = try context.query(statement.text, statement.values).first
        else { return nil }
        return try row.value(0, of: term.type, in: .default)
    }
}
