package import Cabinet
import Foundation

/// Records in a store, and the same records in memory, to compare the store's results with their definitions.
package final class AgreementWorld {
    package let backend: any StorageBackend
    package let records: [StoredRecord]
    private let byID: [RecordID: StoredRecord]
    /// The numbers of records of nonempty pages.
    package private(set) var answered: [Int] = []
    /// The number of pairs of a filter and a record that pages were compared for.
    package private(set) var pairs = 0
    /// The results of the store that differ from their definitions.
    package private(set) var failures: [String] = []

    private static let database = DatabaseKey.public

    /// Indexes of the store during the queries.
    private static let indexes: [Set<StoredIndex>] = [
        [], [.queryable("s"), .sortable("n"), .queryable("place")],
        [.searchable("s"), .compound(["r", "s"]), .queryable("city")], [.searchable("s"), .searchable("select")],
        [.queryable("d"), .queryable("when"), .queryable("creationDate"), .sortable("D"), .queryable("b")],
        [.compound(["select", "index", "when"]), .queryable("creatorUserRecordID"), .sortable("r")],
    ]

    /// Generates records, and stores them.
    ///
    /// Another database gets records with the same names, which no result may contain.
    package init(_ plans: inout RandomPlans, in backend: any StorageBackend) async throws {
        self.backend = backend
        let unique = Self.makeRecords(60, &plans)
        let noise = Self.makeRecords(30, &plans)
        let chosen = plans.pick(Self.indexes)
        records = try await Self.insert(unique, chosen, in: Self.database, of: backend)
        _ = try await Self.insert(noise, chosen, in: .private(owner: "_noise"), of: backend)
        byID = Dictionary(uniqueKeysWithValues: records.map { ($0.recordID, $0) })
    }

    private static func makeRecords(_ count: Int, _ plans: inout RandomPlans) -> [StoredRecord] {
        var made: [StoredRecord] = []
        for number in 0..<count {
            let type = number % 10 == 0 ? "json_each" : number % 10 == 5 ? "things" : "Things"
            made.append(plans.record("x\(number % (count / 2))", type: type))
        }
        var seen: Set<RecordID> = []
        return made.filter { seen.insert($0.recordID).inserted }
    }

    private static func insert(
        _ records: [StoredRecord], _ indexes: Set<StoredIndex>, in database: DatabaseKey, of backend: any StorageBackend
    ) async throws -> [StoredRecord] {
        try await backend.write(database) { transaction in
            let known = try await transaction.schema().recordTypes
            for (type, fields) in RandomPlans.schema.recordTypes.sorted(by: { $0.key < $1.key }) {
                let sorted = fields.filter { known[type]?[$0.key] == nil }.sorted { $0.key < $1.key }
                let possible = indexes.filter { $0 != .queryable("city") || type == "things" }
                try await transaction.apply([
                    .addFields(sorted.map { StoredField(name: $0.key, type: $0.value) }, to: type),
                    .setIndexes(possible, of: type),
                ])
            }
            return try await transaction.insertWithSchema(records)
        }
    }

    package func resolve(_ id: RecordID) throws -> StoredRecord? { byID[id] }

    private func read<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Output
    ) async -> Result<Output, any Error> {
        do { return .success(try await backend.read(Self.database, body)) } catch { return .failure(error) }
    }

    /// Computes an aggregate with the view's own ability; `nil` if it has none.
    private func compute<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageAggregates) async throws -> Output
    ) async -> Result<Output, any Error>? {
        let result = await read { snapshot -> Output? in
            guard let aggregates = snapshot.abilities.aggregates else { return nil }
            return try await body(aggregates)
        }
        return switch result {
        case .success(let output): output.map { .success($0) }
        case .failure(let error): .failure(error)
        }
    }

    /// Whether both return equal values, or both fail.
    ///
    /// If only one fails, it fails for a record that the other one need not read.
    private func agree<Output: Equatable>(
        _ expected: Result<Output, any Error>, _ found: Result<Output, any Error>, _ plan: QueryPlan, _ label: String
    ) -> Bool {
        switch (expected, found) {
        case (.success(let expected), .success(let found)):
            if expected == found { return true }
        case (.failure, _): return true
        case (.success, .failure(let error)):
            if Self.isAboutRecord(error), (try? plan.count(in: records, resolving: resolve)) == nil { return true }
        }
        failures.append(
            "\(label): expected \(Self.shown(expected)), found \(Self.shown(found)), for \(plan.filter) in \(plan)")
        return false
    }

    /// A result as a failure shows it: for records, their IDs.
    private static func shown<Output>(_ answer: Result<Output, any Error>) -> String {
        switch answer {
        case .success(let records as [StoredRecord]): "\(records.map { "\($0.recordID)" })"
        case .success(let output): "\(output)"
        case .failure(let error): "\(error)"
        }
    }

    /// Whether an error can be one of a filter for a record, and not one of a store for a statement.
    private static func isAboutRecord(_ error: any Error) -> Bool {
        (error as? CabinetError)?.code == .invalidArguments
    }

    package func checkPage(_ plan: QueryPlan, _ label: String) async {
        let expected = Result { try plan.page(of: records, resolving: resolve) }
        let found = await read { try await $0.records(matching: plan) }
        if case .success(let page) = expected, !page.isEmpty { answered.append(page.count) }
        if plan.isOrdered || plan.limit == .max {
            pairs += records.count
            _ = agree(expected, found, plan, label)
            // A store may take another path for a repeated query.
            let again = await read { try await $0.records(matching: plan) }
            _ = agree(expected, again, plan, "\(label), again")
        }
    }

    /// The core passes the simplified filter, which finds the same records.
    ///
    /// An error of the original filter is not a difference.
    package func checkSimplified(_ plan: QueryPlan, _ label: String) async {
        let filter = plan.filter.simplified()
        guard let simple = try? plan.with({ $0.filter = filter }) else {
            return failures.append("\(label): \(filter) is refused")
        }
        let expected = Result { try plan.page(of: records, resolving: resolve) }
        let found = await read { try await $0.records(matching: simple) }
        _ = agree(expected, found, plan, "\(label), simplified to \(filter)")
    }

    package func checkCount(_ plan: QueryPlan, _ label: String) async {
        let expected = Result { try plan.count(in: records, resolving: resolve) }
        guard let found = await compute({ try await $0.count(matching: plan) }) else { return }
        _ = agree(expected, found, plan, "\(label), count")
    }

    /// Reads all pages by positions, which together are the whole.
    package func checkPages(_ plan: QueryPlan, limit: Int, _ label: String) async {
        guard let whole = try? plan.with({ ($0.position, $0.limit, $0.keys) = (nil, .max, nil) }),
            let expected = try? whole.page(of: records, resolving: resolve)
        else { return }
        var next = try? whole.with { $0.limit = limit }
        var found: [RecordID] = []
        while let request = next, found.count <= expected.count {
            guard case .success(let page) = await read({ try await $0.records(matching: request) }) else { break }
            found += page.map(\.recordID)
            guard page.count == limit, let last = page.last else { break }
            next = try? request.continued(after: last, resolving: resolve)
        }
        if found != expected.map(\.recordID) {
            failures.append("\(label), pages of \(limit): \(plan.filter) in \(plan)")
        }
    }

    package func checkValue(
        of aggregate: Aggregate, over key: Record.FieldKey, _ plan: QueryPlan, _ label: String
    ) async {
        // The core refuses the others.
        guard (try? plan.validate(aggregate, over: key)) != nil else { return }
        let expected = Result { try plan.value(of: aggregate, over: key, in: records, resolving: resolve) }
        guard let found = await compute({ try await $0.value(of: aggregate, over: key, matching: plan) }) else {
            return
        }
        _ = agree(expected, found, plan, "\(label), \(aggregate) of \(key)")
    }

    package func checkCounts(by key: Record.FieldKey, _ plan: QueryPlan, _ label: String) async {
        guard (try? plan.validateGrouping(by: key)) != nil else { return }
        let expected = Result { try plan.counts(by: key, in: records, resolving: resolve) }
        guard let found = await compute({ try await $0.counts(by: key, matching: plan) }) else { return }
        _ = agree(expected, found, plan, "\(label), counts by \(key)")
    }

    /// The parts of the filter that an explanation names are together equivalent to the filter.
    package func checkExplanation(_ plan: QueryPlan, _ label: String) async {
        let explanation: QueryExplanation
        switch await compute({ try await $0.explanation(of: plan) }) {
        case nil: return
        case .success(let found): explanation = found
        case .failure(let error): return failures.append("\(label), explanation: \(error)")
        }
        let parts = try? plan.with {
            $0.filter = .and([explanation.pushedDown, explanation.evaluated].compactMap { $0 })
        }
        guard let expected = try? plan.count(in: records, resolving: resolve) else { return }
        if (try? parts?.count(in: records, resolving: resolve)) != expected {
            failures.append("\(label), explanation: \(explanation), for \(plan.filter) in \(plan)")
        }
    }
}
