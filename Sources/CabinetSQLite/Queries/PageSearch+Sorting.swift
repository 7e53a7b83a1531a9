import Cabinet
import SQLSupport

/// Pages whose records are found in the fastest order, and sorted in memory.
///
/// SQLite sorts rows by writing them, with all columns, to a B-tree and reading them again. Sorting a few decoded
/// records is much faster.
extension PageSearch {
    /// Returns the records of a page that one statement finds in their order.
    func page(_ sql: String, _ selection: String, _ decoder: RowDecoder) throws -> [StoredRecord] {
        let ordered = try connection.statement(sql, builder)
        guard plan.isOrdered, plan.limit <= Self.maximumLimit, canSort else { return try rows(of: ordered, decoder) }
        if let alternative = try alternativePlan(to: ordered, selection), let statement = alternative.statement,
            alternative.shouldTry()
        {
            try builder.bind(to: statement)
            // A failure may be caused by a row that the page does not need.
            let found = try? rows(of: statement, decoder, upTo: 2 * plan.limit)
            alternative.record(hasSucceeded: found != nil)
            if let found { return Array(try plan.sorted(found).prefix(plan.limit)) }
        }
        return try rows(of: ordered, decoder)
    }

    /// Returns another plan for a statement; `nil` at the statement's first use, which may be the only one.
    private func alternativePlan(to ordered: Statement, _ selection: String) throws -> AlternativePlan? {
        guard ordered.wasUsed else {
            ordered.wasUsed = true
            return nil
        }
        if let known = ordered.alternativePlan { return known }
        let plan = try AlternativePlan(ordered, unordered: unorderedStatement(selecting: selection), builder)
        ordered.alternativePlan = plan
        return plan
    }

    /// Whether the decoded values are sufficient to sort the records.
    private var canSort: Bool {
        plan.order.allSatisfy { sort in
            guard sort.origin == nil, let path = try? FieldPath(sort.key), !path.isLong else { return false }
            return plan.keys?.contains(sort.key) ?? true || SystemField(rawValue: sort.key) != nil
        }
    }

    /// The largest page that is sorted in memory.
    private static let maximumLimit = 4096

    /// Decodes all rows of a statement.
    ///
    /// - Returns: `nil` if there are more rows than the limit.
    private func rows(
        of statement: Statement, _ decoder: RowDecoder, upTo limit: Int
    ) throws -> [StoredRecord]? {
        defer { statement.reset() }
        var records: [StoredRecord] = []
        // Reserving the capacity avoids repeated copies of a growing array.
        records.reserveCapacity(min(statement.lastCount, limit))
        while try statement.step() {
            if records.count == limit { return nil }
            records.append(try decoder.decode(statement, on: connection))
        }
        statement.lastCount = min(records.count, 4096)
        return records
    }

    private func rows(of statement: Statement, _ decoder: RowDecoder) throws -> [StoredRecord] {
        try rows(of: statement, decoder, upTo: .max) ?? []
    }

    /// Decodes the first rows of several statements, one after the other, until the page is full.
    func rows(of statements: [String], _ decoder: RowDecoder) throws -> [StoredRecord] {
        let limit = plan.limit
        var records: [StoredRecord] = []
        records.reserveCapacity(min(limit, 128))
        for sql in statements where records.count < limit {
            let statement = try connection.statement(sql, builder)
            defer { statement.reset() }
            while records.count < limit, try statement.step() {
                records.append(try decoder.decode(statement, on: connection))
            }
        }
        return records
    }
}

/// An unordered statement for the same page as an ordered one, with statistics on which of them is faster.
final class AlternativePlan {
    /// The unordered statement; `nil` if there is none, or if SQLite does not sort for the ordered one.
    let statement: Statement?
    /// The number of recent uses that found too many rows.
    private var failures = 0
    private var uses: UInt = 0

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - ordered: The statement that finds rows in order.
    ///   - unordered: A statement that is faster if SQLite sorts for the ordered one.
    init(_ ordered: Statement, unordered: String?, _ builder: SQLBuilder) throws {
        let question = try Statement("EXPLAIN QUERY PLAN " + ordered.sql, on: ordered.handle)
        try builder.bind(to: question)
        var sorts = false
        while try question.step() {
            if let text = question.string(3), QueryPlanLine(text: text).isSortingAll { sorts = true }
        }
        statement = try sorts ? unordered.map { try Statement($0, on: ordered.handle) } : nil
    }

    /// Returns whether to try the unordered statement now.
    func shouldTry() -> Bool {
        uses &+= 1
        // The number of rows depends on a query's values, so the statement is tried again now and then.
        return failures < 4 || uses.isMultiple(of: 64)
    }

    /// Records whether the unordered statement was faster.
    func record(hasSucceeded: Bool) {
        failures = max(0, min(failures + (hasSucceeded ? -1 : 1), 4))
    }
}
