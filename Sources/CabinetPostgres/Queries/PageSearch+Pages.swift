import Cabinet
import SQLSupport

/// Pages of records.
extension PageSearch {
    /// Returns the page's records.
    func page() async throws -> [StoredRecord] {
        guard var keyset = keyset else { return try await sortedPage() }
        if let page = try await page(by: keyset) { return page }
        keyset.isWhole = true
        return try await page(by: keyset) ?? []
    }

    /// Returns the statements that find the page's records, in their order.
    func statements(orderedBy keyset: KeysetTranslator) -> [SQLStatement] {
        var builder = keyset.builder
        var ranges = [isInIndex(keyset)]
        if let position = plan.position { ranges = keyset.ranges(after: position, &builder) }
        let order = orderClause(keyset)
        var limit = ""
        if parts.remainder == nil, plan.limit < .max {
            // The limit is not a parameter: without its value, PostgreSQL would plan for a tenth of all rows.
            limit = " LIMIT \(plan.limit)"
        }
        let decoder = decoder(keys: plan.keys)
        let selection = decoder.selection(from: terms.name)
        if ranges.count == 1, let merged = mergedStatement(selection, ranges[0], order, limit, builder) {
            return [merged]
        }
        let test = TruncationCheck(keyset, decoder, isOrdered: plan.isOrdered).selection
        return ranges.compactMap { range in
            statement(
                selection + test, where: parts.bounds.necessary, range: range, order + limit, builder: builder)
        }
    }

    /// Returns a statement that reads a page from each zone, and merges their first records.
    ///
    /// No index has the records of several zones in the order of their insertion, but one has those of each zone.
    ///
    /// - Returns: `nil` if another index may be faster, or if the page is unlimited.
    private func mergedStatement(
        _ selection: String, _ range: SQLCondition, _ order: String, _ limit: String, _ builder: SQLBuilder
    ) -> SQLStatement? {
        guard case .several(let zones) = scope, plan.order.isEmpty, plan.isOrdered, parts.remainder == nil,
            case .always = parts.bounds.necessary, plan.limit <= Self.smallPageLimit
        else { return nil }
        let pages = zones.compactMap { zone in
            let isInZone = SQLCondition.sql("\(terms.name).\"___zone\" = \(zone)")
            return statement(
                selection, where: .all([isInZone, range]),
                "\(order)\(limit)", builder: builder)
        }
        let union = pages.map { "(\($0.text))" }.joined(separator: " UNION ALL ")
        return SQLStatement(text: "SELECT * FROM (\(union)) AS \(terms.name)\(order)\(limit)", values: builder.values)
    }

    /// The largest page whose rows are fetched at once instead of through a cursor.
    static let smallPageLimit = 1000

    /// Whether SQL finds and orders the page, and its rows are fetched at once.
    var isSmall: Bool { keyset != nil && parts.remainder == nil && plan.limit <= Self.smallPageLimit }

    /// Returns the page's records in the order of SQL; `nil` if that order is wrong because texts were truncated.
    private func page(by keyset: KeysetTranslator) async throws -> [StoredRecord]? {
        let statements = statements(orderedBy: keyset)
        if parts.remainder == nil, plan.limit <= Self.smallPageLimit {
            return try await smallPage(statements, keyset)
        }
        try context.begin()
        var page: [StoredRecord] = []
        var isMisplaced = false
        let resolver = context.recordResolver(for: plan)
        for statement in statements where page.count < plan.limit && !isMisplaced {
            let decoder = decoder(keys: plan.keys)
            let test = TruncationCheck(keyset, decoder, isOrdered: plan.isOrdered)
            var evaluation = try evaluation(decoder, resolver: resolver) { row, _, _ in test.isLong(row) }
            try await evaluation.run(statement) { found in
                for (record, isLong) in found where page.count < plan.limit {
                    if isLong { isMisplaced = true }
                    page.append(record.trimmed(to: plan.keys))
                }
                return page.count < plan.limit && !isMisplaced
            }
        }
        return isMisplaced ? nil : page
    }

    /// Returns a small page of a query that SQL decides alone.
    private func smallPage(
        _ statements: [SQLStatement], _ keyset: KeysetTranslator
    ) async throws -> [StoredRecord]? {
        var page: [StoredRecord] = []
        var isMisplaced = false
        var decoder = decoder(keys: plan.keys)
        let test = TruncationCheck(keyset, decoder, isOrdered: plan.isOrdered)
        try context.begin(isImplicit: statements.count == 1)
        for statement in statements where page.count < plan.limit {
            try context.connection.enqueue(statement.text, statement.values) { [context, plan] result in
                for row in result.rows where page.count < plan.limit {
                    page.append(try decoder.decode(row, in: context))
                    if test.isLong(row) { isMisplaced = true }
                }
            }
            // Ascending statements read only their page, so they are sent together even if the first one fills the page.
            if !keyset.isAscending { try await context.connection.answers() }
        }
        try await context.connection.answers()
        context.settleIfConfirmed()
        return isMisplaced ? nil : page
    }
}

// MARK: - Orders of the core

extension PageSearch {
    /// Returns the page's records in an order that Cabinet computes, reading the rows in chunks.
    ///
    /// If the page is limited, only the sort keys of all candidates are fetched, and then the records of the page.
    func sortedPage() async throws -> [StoredRecord] {
        try context.begin()
        let isLimited = plan.limit <= Self.sortedPageLimit
        var builder = builder
        let distance = isLimited ? approximateDistance(&builder) : nil
        let decoder = decoder(keys: plan.keysToFetch(for: isLimited ? [] : plan.keys))
        let selection = "\(decoder.selection(from: terms.name)), \(distance?.text ?? "NULL")"
        let end = distance.map { " ORDER BY \($0.order)" } ?? ""
        guard let statement = statement(selection, end, builder: builder) else { return [] }
        let resolver = context.recordResolver(for: plan)
        var evaluation = try evaluation(decoder, resolver: resolver) { row, column, _ in row.double(column) }
        // The rows have passed the filter already.
        let sorting = try plan.evaluating(nil, keepsFields: true)
        var page: [StoredRecord] = []
        func sort() throws {
            page = try resolver.resolving { try sorting.page(of: page, resolving: $0) }
        }
        try await evaluation.run(statement) { found in
            page += found.map(\.record)
            guard let distance, let last = found.last else {
                if isLimited, page.count >= max(2 * plan.limit, Self.smallPageLimit) { try sort() }
                return true
            }
            try sort()
            guard page.count == plan.limit, let end = page.last else { return true }
            let bound = try resolver.resolving { try plan.position(after: end, resolving: $0).values.first ?? nil }
            return !distance.isBeyond(bound, last.extra)
        }
        try sort()
        guard isLimited else { return page.map { $0.trimmed(to: plan.keys) } }
        let values = try await context.load(StorageKeys(records: page.map(\.recordID), fields: plan.keys))
        return values.records.compactMap { $0 }
    }

    /// The largest page for which sort keys are fetched before records.
    private static let sortedPageLimit = 10_000

    /// Returns the distance that is the first sort key, as precisely as SQL can compute it.
    private func approximateDistance(_ builder: inout SQLBuilder) -> ApproximateDistance? {
        guard let sort = plan.order.first, let origin = sort.origin,
            case .term(let place) = terms.meaning(of: sort.key), place.type == .location,
            let term = PostgresDialect.distance(place, origin, &builder)
        else { return nil }
        return ApproximateDistance(term: term, ascending: sort.ascending)
    }
}

/// A distance in SQL, by which the rows arrive in nearly the right order.
private struct ApproximateDistance {
    let text: String
    let ascending: Bool

    init(term: SQLTerm, ascending: Bool) {
        self.ascending = ascending
        // Rows whose distance SQL cannot compute come first, so that they are always considered.
        let cases = term.inexactCases.map { "WHEN \($0) THEN \(ascending ? "NULL" : "'Infinity'::double precision")" }
        text = "CASE \(cases.joined(separator: " ")) ELSE \(term.text) END"
    }

    var order: String { ascending ? "\(text) ASC NULLS FIRST" : "\(text) DESC NULLS LAST" }

    /// Returns whether all rows from this one on come after a record, allowing for rounding.
    ///
    /// - Parameters:
    ///   - bound: The distance of the record.
    ///   - distance: The distance of the row, in SQL.
    func isBeyond(_ bound: FieldValue?, _ distance: Double?) -> Bool {
        var exact: Double?
        if case .double(let number)? = bound { exact = number }
        switch (exact, distance) {
        case (nil, let distance): return ascending && distance != nil
        case (_?, nil): return !ascending
        case (let exact?, let distance?):
            let error = PostgresDialect.distanceError
            return ascending ? distance > exact + error : distance < exact - error
        }
    }
}
