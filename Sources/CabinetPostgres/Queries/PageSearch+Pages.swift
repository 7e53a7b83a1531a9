import Cabinet
import SQLSupport

/// Pages of records.
extension PageSearch {
    /// The page's records.
    func page() throws -> [StoredRecord] {
        guard var keyset = keyset else { return try sortedPage() }
        if let page = try page(by: keyset) { return page }
        keyset.isWhole = true
        return try page(by: keyset) ?? []
    }

    /// The statements that find the page's records in their order, one after the other.
    func statements(orderedBy keyset: KeysetTranslator) -> [SQLStatement] {
        var builder = builder
        var ranges = [isInIndex(keyset)]
        if let position = plan.position { ranges = keyset.ranges(after: position, &builder) }
        let order = orderClause(keyset)
        var limit = ""
        if parts.remainder == nil, plan.limit < .max {
            // Not a parameter: without knowing the number, PostgreSQL would expect a tenth of all rows to be wanted.
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
                selection + test, where: .all([parts.bounds.necessary, range]), order + limit,
                builder: builder)
        }
    }

    /// A statement that takes a page from each zone, and of those the first records.
    ///
    /// No index has the records of several zones in the order of their insertion, but one has those of each.
    ///
    /// - Returns: `nil` if another index may do better, or if there is no limit.
    private func mergedStatement(
        _ selection: String, _ range: SQLCondition, _ order: String, _ limit: String, _ builder: SQLBuilder
    ) -> SQLStatement? {
        guard case .several(let zones) = scope, plan.order.isEmpty, plan.isOrdered, parts.remainder == nil,
            case .always = parts.bounds.necessary, plan.limit <= Self.modestLimit
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

    /// Up to so many records a page is asked for all at once, rather than some rows at a time.
    private static let modestLimit = 1000

    /// The page's records in the order of SQL; `nil` if they are in another one, because their texts are long.
    private func page(by keyset: KeysetTranslator) throws -> [StoredRecord]? {
        let statements = statements(orderedBy: keyset)
        if parts.remainder == nil, plan.limit <= Self.modestLimit {
            return try modestPage(statements, keyset)
        }
        var page: [StoredRecord] = []
        var isMisplaced = false
        let resolver = RecordResolver(view)
        for statement in statements where page.count < plan.limit && !isMisplaced {
            let decoder = decoder(keys: plan.keys)
            let test = TruncationCheck(keyset, decoder, isOrdered: plan.isOrdered)
            var evaluation = try evaluation(decoder, resolver: resolver) { row, _, _ in test.isLong(row) }
            try evaluation.run(statement) { found in
                for (record, isLong) in found where page.count < plan.limit {
                    if isLong { isMisplaced = true }
                    page.append(record.trimmed(to: plan.keys))
                }
                return page.count < plan.limit && !isMisplaced
            }
        }
        return isMisplaced ? nil : page
    }

    /// A page of few records, all of which match.
    private func modestPage(_ statements: [SQLStatement], _ keyset: KeysetTranslator) throws -> [StoredRecord]? {
        var page: [StoredRecord] = []
        var isMisplaced = false
        var decoder = decoder(keys: plan.keys)
        let test = TruncationCheck(keyset, decoder, isOrdered: plan.isOrdered)
        for statement in statements where page.count < plan.limit {
            try view.connection.enqueue(statement.text, statement.values) { [view, plan] result in
                for row in result.rows where page.count < plan.limit {
                    page.append(try decoder.decode(row, in: view))
                    if test.isLong(row) { isMisplaced = true }
                }
            }
            // Sent together, each of them finds a page at once, needed or not.
            if !keyset.isAscending { try view.connection.flush() }
        }
        try view.connection.flush()
        return isMisplaced ? nil : page
    }
}

// MARK: - Orders of the core

extension PageSearch {
    /// The page's records in an order that the core makes, of rows that it is handed some at a time.
    ///
    /// Of a page with an end, only the sort keys of all candidates are fetched, and then the records that are on it.
    func sortedPage() throws -> [StoredRecord] {
        let isLimited = plan.limit <= Self.greatLimit
        var builder = builder
        let distance = isLimited ? approximateDistance(&builder) : nil
        let decoder = decoder(keys: plan.keysToFetch(for: isLimited ? [] : plan.keys))
        let selection = "\(decoder.selection(from: terms.name)), \(distance?.text ?? "NULL")"
        let end = distance.map { " ORDER BY \($0.order)" } ?? ""
        guard let statement = statement(selection, end, builder: builder) else { return [] }
        let resolver = RecordResolver(view)
        var evaluation = try evaluation(decoder, resolver: resolver) { row, column, _ in row.double(column) }
        // The evaluator has done its part.
        let sorting = try plan.evaluating(nil, keepsFields: true)
        var page: [StoredRecord] = []
        func sort() throws {
            // What the order looks at is fetched for all records together.
            page = try resolver.resolving { try sorting.page(of: page, resolving: $0) }
        }
        try evaluation.run(statement) { found in
            page += found.map(\.record)
            guard let distance, let last = found.last else {
                if isLimited, page.count >= max(2 * plan.limit, Self.modestLimit) { try sort() }
                return true
            }
            try sort()
            guard page.count == plan.limit, let end = page.last else { return true }
            let bound = try resolver.resolving { try plan.position(after: end, resolving: $0).values.first ?? nil }
            return !distance.isBeyond(bound, last.extra)
        }
        try sort()
        guard isLimited else { return page.map { $0.trimmed(to: plan.keys) } }
        return try view.records(for: page.map(\.recordID), keys: plan.keys).compactMap { $0 }
    }

    /// Pages of more records than this are sorted where they are fetched.
    private static let greatLimit = 10_000

    /// A distance that the records are sorted by first, as near as SQL can compute it.
    private func approximateDistance(_ builder: inout SQLBuilder) -> ApproximateDistance? {
        guard let sort = plan.order.first, let origin = sort.origin,
            case .term(let place) = terms.meaning(of: sort.key), place.type == .location,
            let term = PostgresDialect.distance(place, origin, &builder)
        else { return nil }
        return ApproximateDistance(term: term, ascending: sort.ascending)
    }
}

/// A distance in SQL, by which the rows come in nearly the right order.
private struct ApproximateDistance {
    let text: String
    let ascending: Bool

    init(term: SQLTerm, ascending: Bool) {
        self.ascending = ascending
        // What cannot be computed comes first, where it is looked at in any case.
        let cases = term.inexactCases.map { "WHEN \($0) THEN \(ascending ? "NULL" : "'Infinity'::double precision")" }
        text = "CASE \(cases.joined(separator: " ")) ELSE \(term.text) END"
    }

    var order: String { ascending ? "\(text) ASC NULLS FIRST" : "\(text) DESC NULLS LAST" }

    /// Whether all rows from one on come after a record, rounding left aside.
    ///
    /// - Parameters:
    ///   - bound: The distance of the record.
    ///   - distance: That of the row, in SQL.
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
