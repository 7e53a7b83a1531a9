import CabinetTesting
import Testing

/// Broken backends prove that the rules can fail.
@Suite("Mutants")
struct MutantTests {
    @Test("A broken backend is found out", .timeLimit(.minutes(1)), arguments: Mutant.all)
    func isCaught(_ mutant: Mutant) async throws {
        for name in mutant.caughtBy {
            let rule = try #require(ConformanceRule.all.first { $0.name == name }, "There is no rule '\(name)'.")
            await #expect(throws: ConformanceFailure.self, "The rule '\(name)' did not find that it \(mutant.name).") {
                try await rule.run { MutantBackend(mutant.fault) }
            }
        }
    }

    @Test("A backend without a fault passes", arguments: ConformanceRule.all)
    func isPassed(_ rule: ConformanceRule) async throws {
        try await rule.run { MutantBackend(Fault()) }
    }

    @Test("No two mutants have one name")
    func namesAreUnique() {
        #expect(Set(Mutant.all.map(\.name)).count == Mutant.all.count)
    }
}
