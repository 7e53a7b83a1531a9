import BackendTestSupport
import Cabinet
import Foundation
import Testing

@testable import CabinetConformance

/// After any operations of several clients, the store holds the records of simple dictionaries, and every device's
/// changes lead to them.
///
/// `make model ROUNDS=100` generates more operations. A failure prints the seed and the shortest list of steps;
/// `CABINET_MODEL_SEED=7` runs that seed alone.
@Suite("Model")
struct ModelTests {
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CABINET_MODEL_SEED"].flatMap(UInt64.init) { return [seed] }
        let rounds = environment["CABINET_MODEL_ROUNDS"].flatMap(UInt64.init) ?? 1
        return Array(1...(2 * max(rounds, 1)))
    }()

    @Test("The store agrees with the model", arguments: seeds, BackendKind.allCases)
    func agreement(seed: UInt64, on backend: BackendKind) async throws {
        // Each operation calls the server many times.
        let rule = ConformanceRule.randomOperations(seed: seed, operations: backend == .postgres ? 100 : 500)
        try await rule.run(on: backend.subject, timeLimit: .seconds(600))
    }

    @Test("Each user sees the shared hierarchies of the model", arguments: seeds, BackendKind.allCases)
    func hierarchies(seed: UInt64, on backend: BackendKind) async throws {
        let rule = ConformanceRule.randomHierarchies(
            seed: seed + 100, operations: backend == .postgres ? 60 : 300)
        try await rule.run(on: backend.subject, timeLimit: .seconds(600))
    }

    @Test(
        "The model finds faults", .timeLimit(.minutes(15)),
        arguments: [
            "reports no deletions", "reports no saves", "reports changes from the beginning",
            "reports changes in no order",
            "numbers deletions as if they were old", "does not report that it has forgotten",
            "does not report when a zone was created", "marks no zone", "reports no deleted zone", "invents a change",
            "forgets zones", "keeps the records of removed zones", "forgets the creator of a zone",
            "forgets new records",
            "forgets changes", "forgets deletions", "deletes only the first record of several",
            "keeps a field that was removed", "loses the parent on an update",
            "does not write the user who changed a record", "repeats sequence numbers",
        ])
    func findsFaults(of name: String) async throws {
        let mutant = try #require(Mutant.all.first { $0.name == name }, "There is no mutant that \(name).")
        var random = RandomOperations(seed: 1)
        let operations = random.operations(2000)
        let failure = try await ModelFailure.first(of: operations, on: MutantBackend(mutant.fault))
        #expect(failure != nil, "The model did not find that it \(name).")
    }

    @Test("A failure is reduced to the steps that it needs")
    func shrinks() async throws {
        let numbers = await shrunk(Array(0..<1000)) { $0.contains(17) && $0.contains(803) }
        #expect(numbers == [17, 803])
        let late = await shrunk([1, 2, 3], until: .now) { _ in true }
        #expect(late == [1, 2, 3])
        let halved: (Int) -> [Int] = { $0 > 0 ? [$0 - 1, $0 / 2] : [] }
        let simple = await simplified([40, 7, 100], halved) { $0[0] >= 5 && $0[2] >= 30 }
        #expect(simple == [5, 0, 30])
        #expect(await simplified([40], tries: 2, halved) { _ in true } == [38])
    }

    @Test("A failure names the few steps that lead to it")
    func steps() async throws {
        let mutant = try #require(Mutant.all.first { $0.name == "loses the parent on an update" })
        let failure = try await #require(throws: ConformanceFailure.self) {
            try await ConformanceRule.randomOperations(seed: 1, operations: 100).run { MutantBackend(mutant.fault) }
        }
        // A record, and an update of it with a parent, which may be the record itself; nothing else.
        #expect((2...3).contains(failure.steps.count))
        #expect(failure.steps.allSatisfy { !$0.contains("; ") && !$0.contains("own =") })
        #expect(failure.description.contains("├─ Law: After each"))
        #expect(failure.description.contains("Steps: these steps reproduce it:\n"))
        #expect(failure.description.contains("1. client "))
        #expect(failure.description.contains("parent"))
    }
}
