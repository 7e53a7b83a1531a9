import Cabinet
import Foundation
import SQLSupport

/// Counts and aggregates of all records of a query.
extension PageSearch {
    var decided: SQLCondition { parts.bounds.sufficient }
    var undecided: SQLCondition { .all([parts.bounds.necessary, parts.bounds.sufficient.negated]) }

    func zone(_ number: Int64) throws -> RecordZone.ID? { try view.zone(number) }

    func forEachRow(
        selecting selection: String, where condition: SQLCondition, _ end: String, _ body: (QueryRow) throws -> Void
    ) throws {
        guard let statement = statement(selection, where: condition, end) else { return }
        for row in try view.query(statement.text, statement.values).rows { try body(row) }
    }

    func forEachValue(of term: SQLTerm, _ body: (FieldValue?) throws -> Void) throws {
        if parts.remainder != nil { return try forEachMatch(where: parts.bounds.necessary, selecting: term, body) }
        // In SQL, the sum of fractions depends on the order of the rows, because each addition rounds.
        let isNotNull = SQLCondition.all([parts.bounds.necessary, .sql("\(term.text) IS NOT NULL")])
        guard let statement = statement(term.text, where: isNotNull) else { return }
        try view.forEachRow(of: statement.text, statement.values) { row in
            try body(try row.value(0, of: term.type, in: .default))
            return true
        }
    }

    func forEachMatch(
        where condition: SQLCondition, selecting term: SQLTerm?, _ body: (FieldValue?) throws -> Void
    ) throws {
        let decoder = decoder(keys: [])
        let selection = "\(decoder.selection(from: terms.name)), \(term?.text ?? "NULL")"
        guard let statement = statement(selection, where: condition) else { return }
        var evaluation = try evaluation(decoder, resolver: view.recordResolver) { row, column, _ in
            (row: row, column: column)
        }
        try evaluation.run(statement) { found in
            for (record, cell) in found {
                try body(
                    try term.flatMap { try cell.row.value(cell.column, of: $0.type, in: $0.targetZone(for: record)) })
            }
            return true
        }
    }

    func computedValue(of aggregate: Aggregate, over term: SQLTerm) throws -> FieldValue?? {
        switch (aggregate, term.kind) {
        case (.sum, .number?) where term.type == .int64, (.average, .number?) where term.type == .int64:
            .some(try wholeValue(of: aggregate, term))
        case (.minimum, let kind?) where kind.hasOrder, (.maximum, let kind?) where kind.hasOrder:
            .some(try extreme(of: term, isFirst: aggregate == .minimum))
        default: nil
        }
    }

    /// Returns the sum or average of whole numbers, which SQL computes exactly, without overflow.
    private func wholeValue(of aggregate: Aggregate, _ term: SQLTerm) throws -> FieldValue? {
        let empty = AggregateAccumulator(aggregate).result
        guard let statement = statement("CAST(sum(\(term.text)) AS text), count(\(term.text))"),
            let row = try view.query(statement.text, statement.values).first, let sum = row.text(0),
            let count = row.integer(1)
        else { return empty }
        if aggregate == .sum, let whole = Int64(sum) { return .int64(whole) }
        // Parsing the digits rounds only once, to the nearest number.
        guard let rounded = Double(sum) else { throw PostgresFailure.damaged("a sum is not a number: \(sum)") }
        return .double(aggregate == .sum ? rounded : rounded / Double(count))
    }

    /// Returns the first or last value, which an index may have at its end.
    private func extreme(of term: SQLTerm, isFirst: Bool) throws -> FieldValue? {
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
            let row = try view.query(statement.text, statement.values).first
        else { return nil }
        return try row.value(0, of: term.type, in: .default)
    }
}

extension QueryRow: SQLRow {
    func value(_ column: Int, of type: FieldType, in zoneID: RecordZone.ID) throws -> FieldValue? {
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
