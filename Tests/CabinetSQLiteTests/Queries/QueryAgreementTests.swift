import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetSQLite

/// What SQL selects, sorts, counts and adds up is what the filter language says.
///
/// Made-up plans are run on made-up records, by the backend and by the evaluator. `make differential ROUNDS=100` makes more
/// of both. A failure names the seed and the plan's number: `CABINET_DIFFERENTIAL_SEED=7` runs that seed alone.
@Suite struct QueryAgreementTests {
    private static let plansPerSeed = 550
    /// How many pairs of a filter and a record a run compares by pages at least, over four seeds.
    private static let pairs = 100_000
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CABINET_DIFFERENTIAL_SEED"].flatMap(UInt64.init) { return [seed] }
        let rounds = environment["CABINET_DIFFERENTIAL_ROUNDS"].flatMap(UInt64.init) ?? 1
        return Array(1...(4 * max(rounds, 1)))
    }()

    @Test(arguments: seeds)
    func queriesAgreeWithTheirDefinition(seed: UInt64) async throws {
        var plans = RandomPlans(random: SeededGenerator(seed: seed))
        let world = try await World(&plans)
        for number in 0..<Self.plansPerSeed {
            var plan = plans.plan()
            plan.position = plans.position(in: plan, over: world.records, resolving: world.resolve)
            let label = "seed \(seed), plan \(number)"
            guard await world.checkPage(plan, label) else { return }
            guard await world.checkCount(plan, label) else { return }
            switch number % 4 {
            case 0: await world.checkPages(plan, limit: Int.random(in: 1...7, using: &plans.random), label)
            case 1:
                let key = plans.pick([
                    "n", "d", "index", "D", "s", "when", "b", "r", "r.n", "references.d", "r.references.s",
                    "creationDate",
                ])
                for aggregate in Aggregate.allCases { await world.checkValue(of: aggregate, over: key, plan, label) }
            case 2:
                let key = plans.pick([
                    "n", "d", "s", "when", "b", "r", "recordID", "r.s", "references.r", "creatorUserRecordID",
                ])
                await world.checkCounts(by: key, plan, label)
            default:
                await world.checkExplanation(plan, label)
                await world.checkSimplified(plan, label)
            }
        }
        // Most plans must mean something, or nothing is proved.
        #expect(world.answered.count > Self.plansPerSeed / 4, "seed \(seed)")
        #expect(world.pairs >= Self.pairs / 4, "seed \(seed)")
    }
}

/// Records in a store, and the same records in memory.
private final class World {
    let store = Store()
    let records: [StoredRecord]
    private let byID: [RecordID: StoredRecord]
    /// The numbers of records that pages had, where they had some.
    private(set) var answered: [Int] = []
    /// How many pairs of a filter and a record pages were compared for.
    private(set) var pairs = 0

    init(_ plans: inout RandomPlans) async throws {
        var made: [StoredRecord] = []
        for number in 0..<60 {
            let type = number % 10 == 0 ? "json_each" : number % 10 == 5 ? "things" : "Things"
            made.append(plans.record("x\(number % 30)", type: type))
        }
        var seen: Set<RecordID> = []
        let unique = made.filter { seen.insert($0.recordID).inserted }
        let indexes: [Set<StoredIndex>] = [
            [], [.queryable("s"), .sortable("n"), .queryable("place")],
            [.searchable("s"), .compound(["r", "s"]), .queryable("city")], [.searchable("s"), .searchable("select")],
            [.queryable("d"), .queryable("when"), .queryable("creationDate"), .sortable("D"), .queryable("b")],
            [.compound(["select", "index", "when"]), .queryable("creatorUserRecordID"), .sortable("r")],
        ]
        let chosen = plans.pick(indexes)
        let store = self.store
        records = try await store.backend.write(.public) { transaction in
            for (type, fields) in RandomPlans.schema.recordTypes.sorted(by: { $0.key < $1.key }) {
                let sorted = fields.sorted { $0.key < $1.key }
                try await transaction.add(sorted.map { StoredField(name: $0.key, type: $0.value) }, to: type)
                let known = chosen.filter { $0 != .queryable("city") || type == "things" }
                try await transaction.setIndexes(known, of: type)
            }
            return try await transaction.insertWithSchema(unique)
        }
        byID = Dictionary(uniqueKeysWithValues: records.map { ($0.recordID, $0) })
    }

    func resolve(_ id: RecordID) throws -> StoredRecord? { byID[id] }

    private func read<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Output
    ) async -> Result<Output, any Error> {
        do { return .success(try await store.backend.read(.public, body)) } catch { return .failure(error) }
    }

    /// Whether both give the same, or both fail.
    ///
    /// Where only one fails, it fails for a record that the other one need not look at.
    private func agree<Output: Equatable>(
        _ expected: Result<Output, any Error>, _ found: Result<Output, any Error>, _ plan: QueryPlan, _ label: String
    ) -> Bool {
        switch (expected, found) {
        case (.success(let expected), .success(let found)):
            if expected == found { return true }
            Issue.record("\(label): expected \(expected), found \(found), for \(plan.filter) in \(plan)")
        case (.failure, .failure): return true
        case (.failure, .success) where (try? plan.validate()) != nil: return true
        case (.success, .failure) where (try? plan.count(in: records, resolving: resolve)) == nil: return true
        default: Issue.record("\(label): expected \(expected), found \(found), for \(plan.filter) in \(plan)")
        }
        return false
    }

    func checkPage(_ plan: QueryPlan, _ label: String) async -> Bool {
        let expected = Result { try plan.page(of: records, resolving: resolve) }
        let found = await read { try await $0.records(matching: plan) }
        pairs += records.count
        if case .success(let page) = expected, !page.isEmpty { answered.append(page.count) }
        return agree(expected, found, plan, label)
    }

    /// The core asks for the simplified filter, which finds the same, and is no mistake where the filter is none.
    func checkSimplified(_ plan: QueryPlan, _ label: String) async {
        guard (try? plan.validate()) != nil else { return }
        var simple = plan
        simple.filter = plan.filter.simplified()
        #expect(throws: Never.self, "\(label), \(simple.filter)") { try simple.validate() }
        let expected = Result { try plan.page(of: records, resolving: resolve) }
        let request = simple
        let found = await read { try await $0.records(matching: request) }
        _ = agree(expected, found, plan, "\(label), simplified to \(simple.filter)")
    }

    func checkCount(_ plan: QueryPlan, _ label: String) async -> Bool {
        let expected = Result { try plan.count(in: records, resolving: resolve) }
        let found = await read { try await $0.count(matching: plan) }
        return agree(expected, found, plan, "\(label), count")
    }

    /// Goes through all pages by positions, which together are the whole.
    func checkPages(_ plan: QueryPlan, limit: Int, _ label: String) async {
        var plan = plan
        plan.position = nil
        plan.limit = .max
        plan.keys = nil
        guard let expected = try? plan.page(of: records, resolving: resolve) else { return }
        plan.limit = limit
        var found: [RecordID] = []
        while found.count <= expected.count {
            let request = plan
            guard case .success(let page) = await read({ try await $0.records(matching: request) }) else { break }
            found += page.map(\.recordID)
            guard page.count == limit, let last = page.last else { break }
            plan.position = try? plan.position(after: last, resolving: resolve)
        }
        #expect(found == expected.map(\.recordID), "\(label), pages of \(limit): \(plan.filter) in \(plan)")
    }

    func checkValue(of aggregate: Aggregate, over key: Record.FieldKey, _ plan: QueryPlan, _ label: String) async {
        let expected = Result { try plan.value(of: aggregate, over: key, in: records, resolving: resolve) }
        let found = await read { try await $0.value(of: aggregate, over: key, matching: plan) }
        _ = agree(expected, found, plan, "\(label), \(aggregate) of \(key)")
    }

    func checkCounts(by key: Record.FieldKey, _ plan: QueryPlan, _ label: String) async {
        let expected = Result { try plan.counts(by: key, in: records, resolving: resolve) }
        let found = await read { try await $0.counts(by: key, matching: plan) }
        _ = agree(expected, found, plan, "\(label), counts by \(key)")
    }

    /// The parts of the filter that an explanation names say together what the filter says.
    func checkExplanation(_ plan: QueryPlan, _ label: String) async {
        guard case .success(let explanation) = await read({ try await $0.explanation(of: plan) }) else {
            #expect((try? plan.validate()) == nil, "\(label)")
            return
        }
        var parts = plan
        parts.filter = .and([explanation.pushedDown, explanation.evaluated].compactMap { $0 })
        guard let expected = try? plan.count(in: records, resolving: resolve) else { return }
        #expect((try? parts.count(in: records, resolving: resolve)) == expected, "\(label), explanation")
    }
}
