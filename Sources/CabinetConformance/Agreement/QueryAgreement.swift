import Cabinet
import CabinetTesting

/// Generated records in a store, and the same records in memory, to compare the store's answers with their definitions.
struct QueryAgreement {
    let records: [StoredRecord]
    /// The schema of the store, with its present indexes.
    private(set) var schema = RandomPlans.schema
    /// The number of pages that had records.
    private(set) var answered = 0
    /// The beginning of a failure's message.
    var subject = ""
    private let backend: any StorageBackend

    /// Generates records, and stores them.
    ///
    /// Another database has records with the same names, which no answer may contain.
    init(_ plans: inout RandomPlans, in backend: any StorageBackend) async throws {
        self.backend = backend
        records = plans.records(60)
        let noise = plans.records(30)
        for (database, records) in [(DatabaseKey.public, records), (.private(owner: "_noise"), noise)] {
            try await backend.write(database) { transaction in
                for (type, fields) in RandomPlans.schema.recordTypes.sorted(by: { $0.key < $1.key }) {
                    let sorted = fields.sorted { $0.key < $1.key }
                    try await transaction.add(sorted.map { StoredField(name: $0.key, type: $0.value) }, to: type)
                }
                try await transaction.insert(records)
            }
        }
    }

    mutating func setIndexes(_ indexes: Set<StoredIndex>) async throws {
        schema.indexes["Things"] = indexes
        try await backend.write(.public) { try await $0.setIndexes(indexes, of: "Things") }
    }

    private func read<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Output
    ) async -> Result<Output, any Error> {
        do { return .success(try await backend.read(.public, body)) } catch { return .failure(error) }
    }

    /// The page that the store has for a plan, which reads hidden fields as the core's do.
    private func page(of plan: QueryPlan) async -> Result<[StoredRecord], any Error> {
        await read { snapshot in
            try await snapshot.records(matching: plan.readingHiddenFields()).map { $0.trimmed(to: plan.keys) }
        }
    }

    /// Throws unless both results are equal values, or both are errors.
    ///
    /// If only the store fails, it fails for a record that the evaluator need not read; no error of a statement is like
    /// that.
    private func expectEqual<Output: Equatable>(
        _ part: String, _ found: Result<Output, any Error>, _ expected: Result<Output, any Error>, _ plan: QueryPlan
    ) throws {
        switch (expected, found) {
        case (.success(let expected), .success(let found)) where expected == found: return
        case (.failure, _): return
        case (.success, .failure(let error as CabinetError))
        where error.code == .invalidArguments
            && (try? plan.count(in: records, resolving: plan.resolver(over: records))) == nil:
            return
        default: throw failure("\(part): found \(Self.shown(found)), expected \(Self.shown(expected))", plan)
        }
    }

    private func failure(_ text: String, _ plan: QueryPlan) -> ConformanceFailure {
        ConformanceFailure(message: "\(subject), \(text), for \(plan.filter) in \(plan).", fileID: nil, line: nil)
    }

    /// A result as a failure shows it: for records, their IDs.
    private static func shown<Output>(_ answer: Result<Output, any Error>) -> String {
        switch answer {
        case .success(let records as [StoredRecord]): "\(records.map { "\($0.recordID)" })"
        case .success(let output): "\(output)"
        case .failure(let error): "\(error)"
        }
    }

    mutating func checkPage(_ plan: QueryPlan) async throws {
        let expected = Result { try plan.page(of: records, resolving: plan.resolver(over: records)) }
        // A store may take another path for a repeated query.
        for part in ["the page", "the page again"] {
            try expectEqual(part, await page(of: plan), expected, plan)
        }
        if case .success(let page) = expected, !page.isEmpty { answered += 1 }
    }

    /// The core passes the simplified filter, which finds the same records.
    ///
    /// An error of the original filter is not a difference.
    func checkSimplified(_ plan: QueryPlan) async throws {
        let filter = plan.filter.simplified()
        guard let simple = try? plan.evaluating(filter) else {
            throw failure("the simplified filter \(filter) is refused", plan)
        }
        let expected = Result { try plan.page(of: records, resolving: plan.resolver(over: records)) }
        let found = await page(of: simple)
        try expectEqual("the page of the simplified filter \(filter)", found, expected, plan)
    }

    func checkCount(_ plan: QueryPlan) async throws {
        let expected = Result { try plan.count(in: records, resolving: plan.resolver(over: records)) }
        try expectEqual(
            "the count", await read { try await $0.count(matching: plan.readingHiddenFields()) }, expected, plan)
    }

    /// Reads all pages by positions, which together are the whole.
    func checkPages(_ plan: QueryPlan, limit: Int) async throws {
        guard let whole = try? plan.with({ ($0.position, $0.limit, $0.keys) = (nil, .max, nil) }),
            let expected = try? whole.page(of: records, resolving: plan.resolver(over: records))
        else { return }
        var next = try? whole.with { $0.limit = limit }
        var found: [StoredRecord] = []
        while let request = next, found.count <= expected.count {
            guard case .success(let page) = await page(of: request) else { break }
            found += page
            guard page.count == limit, let last = page.last else { break }
            next = try? request.continued(after: last, resolving: plan.resolver(over: records))
        }
        try expectEqual("the pages of \(limit)", .success(found), .success(expected), plan)
    }

    func checkValue(of aggregate: Aggregate, over key: Record.FieldKey, _ plan: QueryPlan) async throws {
        // The core refuses the others.
        guard (try? plan.validate(aggregate, over: key)) != nil else { return }
        let expected = Result {
            try plan.value(of: aggregate, over: key, in: records, resolving: plan.resolver(over: records))
        }
        let plan = plan.readingHiddenFields()
        let found = await read { try await $0.value(of: aggregate, over: key, matching: plan) }
        try expectEqual("the \(aggregate) of \(key)", found, expected, plan)
    }

    func checkCounts(by key: Record.FieldKey, _ plan: QueryPlan) async throws {
        guard (try? plan.validateGrouping(by: key)) != nil else { return }
        let expected = Result { try plan.counts(by: key, in: records, resolving: plan.resolver(over: records)) }
        let plan = plan.readingHiddenFields()
        try expectEqual(
            "the counts by \(key)", await read { try await $0.counts(by: key, matching: plan) }, expected, plan)
    }

    /// The parts of the filter that an explanation names are together equivalent to the filter.
    func checkExplanation(_ plan: QueryPlan) async throws {
        let translated = plan.readingHiddenFields()
        guard
            let explanation = try await read({ try await $0.abilities.aggregates?.explanation(of: translated) }).get(),
            let expected = try? plan.count(in: records, resolving: plan.resolver(over: records))
        else { return }
        let parts = [explanation.pushedDown, explanation.evaluated].compactMap(\.self)
        let found = Result {
            try plan.with { $0.filter = .and(parts) }.count(in: records, resolving: plan.resolver(over: records))
        }
        try expectEqual("the explanation \(explanation)", found, .success(expected), plan)
    }
}
