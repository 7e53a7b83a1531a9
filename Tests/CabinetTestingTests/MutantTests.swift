import Cabinet
import CabinetTesting
import Testing

/// Broken backends prove that the rules can fail.
@Suite("Mutants")
struct MutantTests {
    @Test("A broken backend is found out", arguments: Mutant.all)
    func isCaught(_ mutant: Mutant) async throws {
        for name in mutant.caughtBy {
            let rule = try #require(ConformanceRule.all.first { $0.name == name }, "There is no rule '\(name)'.")
            await #expect(throws: ConformanceFailure.self, "The rule '\(name)' did not find that it \(mutant.name).") {
                try await rule.run(timeLimit: rule.timeLimit) { MutantBackend(mutant.fault) }
            }
        }
    }

    @Test("A store that loses something when it is closed is found out", arguments: Mutant.forgetting)
    func isCaughtLater(_ mutant: Mutant) async throws {
        for name in mutant.caughtBy {
            let rule = try #require(ConformanceRule.all.first { $0.name == name }, "There is no rule '\(name)'.")
            #expect(rule.needsReopening)
            let (backend, reopen) = mutant.store()
            await #expect(throws: ConformanceFailure.self, "The rule '\(name)' did not find that it \(mutant.name).") {
                try await rule.run(reopening: reopen) { backend }
            }
        }
    }

    @Test("A store that loses nothing passes", arguments: ConformanceRule.all.filter(\.needsReopening))
    func isPassedLater(_ rule: ConformanceRule) async throws {
        let (backend, reopen) = Mutant("loses nothing", caughtBy: []) { _ in }.store()
        try await rule.run(reopening: reopen) { backend }
    }

    /// Rules about what the core refuses before it asks the backend, so that no backend can break them.
    private static let keptByTheCore: Set = [
        "a malformed record name is refused", "a malformed container identifier is a bad container",
        "an empty batch succeeds", "a reference stays in its zone", "a reference names a record that can exist",
        "the shared database has no default zone", "the shared database is queried zone by zone",
        "without an account there is nothing private or shared",
        "the shared database has no changes", "a container knows whether it has an account", "an account needs a name",
        "Users records cannot be queried", "a malformed schema is refused",
        "a schema is applied on behalf of an account", "without an account there are no subscriptions",
    ]

    @Test("Every rule that a backend can break is broken by one", arguments: ConformanceRule.all)
    func canFail(_ rule: ConformanceRule) async throws {
        var isBroken = false
        if rule.needsReopening {
            for mutant in Mutant.forgetting where !isBroken {
                let (backend, reopen) = mutant.store()
                isBroken = await fails(rule, reopening: reopen, backend)
            }
        } else {
            for mutant in Mutant.all where !isBroken {
                isBroken = await fails(rule, MutantBackend(mutant.fault))
            }
        }
        #expect(isBroken != Self.keptByTheCore.contains(rule.name))
    }

    private func fails(
        _ rule: ConformanceRule, reopening reopen: (@Sendable () async throws -> any StorageBackend)? = nil,
        _ backend: any StorageBackend
    ) async -> Bool {
        do {
            try await rule.run(reopening: reopen, timeLimit: rule.timeLimit) { backend }
            return false
        } catch {
            return true
        }
    }

    @Test("A backend without a fault passes", arguments: ConformanceRule.all)
    func isPassed(_ rule: ConformanceRule) async throws {
        try await rule.run { MutantBackend(Fault()) }
    }

    @Test("No two mutants have one name")
    func namesAreUnique() {
        let all = Mutant.all + Mutant.forgetting
        #expect(Set(all.map(\.name)).count == all.count)
    }
}

extension ConformanceRule {
    /// Who observes a backend that tells nothing waits for ever.
    fileprivate var timeLimit: Duration {
        [.observation, .subscriptions].contains(family) ? .seconds(10) : .seconds(60)
    }
}
