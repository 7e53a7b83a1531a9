import Cabinet
import CabinetTesting
import Testing

@testable import CabinetConformance

/// Every rule on a backend that passes each call through the tests' wrappers, none of which has a fault to show.
///
/// So a rule that fails on a wrapper with a fault fails because of that fault.
@Suite("Reads precede changes")
struct ReadingFirstTests {
    /// All rules but those that read their own writes in a transaction of the backend, and those about copies, which compare what they wrote.
    private static func readsFirst(_ rule: ConformanceRule) -> Bool {
        if case .storage = rule.source, [.storage, .transactions, .assets].contains(rule.family) { return false }
        return rule.family != .copying && !rule.name.hasSuffix(", with every field indexed")
    }

    private static func backend() -> FaultInjectingBackend { FaultInjectingBackend(MutantBackend(Fault())) }

    @Test(
        "No request reads after its transaction has applied a mutation, and backends without a fault pass",
        arguments: ConformanceRule.all.filter(readsFirst))
    func requests(_ rule: ConformanceRule) async throws {
        try await rule.run(timeLimit: .seconds(600)) { ReadingFirstBackend(base: Self.backend()) }
    }

    @Test("Backends without a fault pass the other rules", arguments: ConformanceRule.all.filter { !readsFirst($0) })
    func isPassed(_ rule: ConformanceRule) async throws {
        try await rule.run(timeLimit: .seconds(600)) { Self.backend() }
    }
}
