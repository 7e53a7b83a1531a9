import Cabinet
import SQLSupport

/// Pages whose records are found in whatever order is the fastest, and sorted here.
///
/// SQLite sorts rows by writing them to a tree, with all their columns, and reading them again; a few records are sorted much faster
/// once they are made. And where the filter finds few records of many, going through an index for its order costs far more than going
/// through the table.
extension PageSearch {
    /// The page's records, which one statement finds in their order.
    func page(_ sql: String, _ selection: String, _ decoder: inout RowDecoder) throws -> [StoredRecord] {
        let ordered = try connection.statement(sql, builder)
        guard plan.isOrdered, plan.limit <= Self.maximumLimit, canSort else { return try rows(of: ordered, &decoder) }
        let search = try unorderedSearch(insteadOf: ordered, selection)
        if let search, let statement = search.statement, search.sorts || canScan && ordered.isSparse,
            search.isWorthwhile
        {
            try builder.bind(to: statement)
            // A failure may be one of a row that the page does not need.
            let found = try? rows(of: statement, &decoder, upTo: search.sorts ? 2 * plan.limit : plan.limit)
            search.note(hasSucceeded: found != nil)
            if let found { return Array(try plan.sorted(found).prefix(plan.limit)) }
        }
        let page = try rows(of: ordered, &decoder)
        ordered.isSparse = ordered.takeStepCount() > 2000 + 70 * page.count
        return page
    }

    /// Another way to find what a statement finds; `nil` when the statement is used for the first time, and maybe the last.
    private func unorderedSearch(insteadOf ordered: Statement, _ selection: String) throws -> UnorderedSearch? {
        guard ordered.wasUsed else {
            ordered.wasUsed = true
            return nil
        }
        if let known = ordered.unorderedSearch { return known }
        let search = try UnorderedSearch(
            ordered, sorted: unorderedStatement(selecting: selection), scan: scan(selection), builder)
        ordered.unorderedSearch = search
        return search
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

    /// Whether the first page in the order of IDs may be found by going through the whole table, in which no other zone has rows.
    private var canScan: Bool {
        guard case .one(_, _, isOnly: true) = scope else { return false }
        return plan.order.isEmpty && plan.position == nil && parts.translated != nil && !usesIndex
    }

    /// The statement that goes through the whole table.
    private func scan(_ selection: String) -> String? {
        guard canScan, let clause = parts.bounds.necessary.clause else { return nil }
        return "SELECT \(selection) FROM \(table.quoted) NOT INDEXED\(clause)"
    }

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
final class UnorderedSearch {
    /// `nil` if there is none that could be better.
    let statement: Statement?
    /// Whether the other statement sorts what it finds.
    let sorts: Bool
    /// How often there were too many rows, of the last times.
    private var failures = 0
    private var uses: UInt = 0

    /// - Parameters:
    ///   - ordered: The statement that finds rows in order.
    ///   - sorted: A statement that is better if SQLite sorts for the other one.
    ///   - scan: A statement that is better if few rows are found that way.
    init(_ ordered: Statement, sorted: String?, scan: String?, _ builder: SQLBuilder) throws {
        let question = try Statement("EXPLAIN QUERY PLAN " + ordered.sql, on: ordered.handle)
        try builder.bind(to: question)
        var sorts = false
        while try question.step() {
            if let text = question.string(3), QueryPlanLine(text: text).isSortingAll { sorts = true }
        }
        self.sorts = sorts
        statement = try (sorts ? sorted : scan).map { try Statement($0, on: ordered.handle) }
    }

    /// Whether to try it.
    var isWorthwhile: Bool {
        uses &+= 1
        // What a query finds depends on its values: now and then it is tried anyway.
        return failures < 4 || uses.isMultiple(of: 64)
    }

    /// Remembers whether it was better.
    func note(hasSucceeded: Bool) {
        failures = max(0, min(failures + (hasSucceeded ? -1 : 1), 4))
    }
}
