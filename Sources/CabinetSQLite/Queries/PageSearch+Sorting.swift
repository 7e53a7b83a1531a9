import Cabinet
import SQLSupport

/// Pages whose records are found in whatever order is the fastest, and sorted here.
///
/// SQLite sorts rows by writing them to a tree, with all their columns, and reading them again; a few records are sorted much faster
/// once they are made.
extension PageSearch {
    /// The page's records, which one statement finds in their order.
    func page(_ sql: String, _ selection: String, _ decoder: inout RowDecoder) throws -> [StoredRecord] {
        let ordered = try connection.statement(sql, builder)
        guard plan.isOrdered, plan.limit <= Self.maximumLimit, canSort else { return try rows(of: ordered, &decoder) }
        if let alternative = try alternativePlan(to: ordered, selection), let statement = alternative.statement,
            alternative.shouldTry()
        {
            try builder.bind(to: statement)
            // A failure may be one of a row that the page does not need.
            let found = try? rows(of: statement, &decoder, upTo: 2 * plan.limit)
            alternative.record(hasSucceeded: found != nil)
            if let found { return Array(try plan.sorted(found).prefix(plan.limit)) }
        }
        return try rows(of: ordered, &decoder)
    }

    /// Another way to find the rows of a statement; `nil` at the statement's first use, which may be the last.
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

    /// Whether the records can be sorted by what was decoded of them.
    private var canSort: Bool {
        plan.order.allSatisfy { sort in
            guard sort.origin == nil, let path = try? FieldPath(sort.key), !path.isLong else { return false }
            return plan.keys?.contains(sort.key) ?? true || SystemField(rawValue: sort.key) != nil
        }
    }

    /// The most records that a page may hold to be sorted here.
    private static let maximumLimit = 4096

    /// Decodes all rows of a statement.
    ///
    /// - Returns: `nil` if there are more than may be.
    private func rows(
        of statement: Statement, _ decoder: inout RowDecoder, upTo limit: Int
    ) throws -> [StoredRecord]? {
        defer { statement.reset() }
        var records: [StoredRecord] = []
        // An array that grows step by step is several arrays.
        records.reserveCapacity(min(statement.lastCount, limit))
        while try statement.step() {
            if records.count == limit { return nil }
            records.append(try decoder.decode(statement, on: connection))
        }
        statement.lastCount = min(records.count, 4096)
        return records
    }

    private func rows(of statement: Statement, _ decoder: inout RowDecoder) throws -> [StoredRecord] {
        try rows(of: statement, &decoder, upTo: .max) ?? []
    }
}

/// A statement that finds in no order what another one finds in order, and what is known about which of them is better.
final class AlternativePlan {
    /// `nil` if the other statement sorts nothing, or there is none.
    let statement: Statement?
    /// How often there were too many rows, of the last times.
    private var failures = 0
    private var uses: UInt = 0

    /// - Parameters:
    ///   - ordered: The statement that finds rows in order.
    ///   - unordered: A statement that is better if SQLite sorts for the other one.
    init(_ ordered: Statement, unordered: String?, _ builder: SQLBuilder) throws {
        let question = try Statement("EXPLAIN QUERY PLAN " + ordered.sql, on: ordered.handle)
        try builder.bind(to: question)
        var sorts = false
        while try question.step() {
            if let text = question.string(3), QueryPlanLine(text: text).isSortingAll { sorts = true }
        }
        statement = try sorts ? unordered.map { try Statement($0, on: ordered.handle) } : nil
    }

    /// Whether to try the statement this time.
    func shouldTry() -> Bool {
        uses &+= 1
        // What a query finds depends on its values: now and then it is tried anyway.
        return failures < 4 || uses.isMultiple(of: 64)
    }

    /// Records whether the statement was better.
    func record(hasSucceeded: Bool) {
        failures = max(0, min(failures + (hasSucceeded ? -1 : 1), 4))
    }
}
