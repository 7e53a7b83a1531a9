import Cabinet
import CabinetConformance
import PostgresTestSupport
import Testing

/// All rules behind a pooler.
@Suite struct PoolerConformanceTests {
    /// Some rules need twenty connections.
    private static let permits = ResourcePool(permits: 4)

    private static func run(_ rule: ConformanceRule, _ mode: PgBouncer.Mode) async throws {
        let subject = try await Poolers.subject(mode)
        try await permits.withResource { try await rule.run(on: subject, timeLimit: .seconds(240)) }
    }

    @Test(
        "PostgreSQL behind a session pooler passes every rule", .timeLimit(.minutes(5)), arguments: ConformanceRule.all)
    func session(_ rule: ConformanceRule) async throws {
        try await Self.run(rule, .session)
    }

    @Test(
        "PostgreSQL behind a transaction pooler passes every rule",
        .enabled(if: Poolers.hasTransactionMode, "PgBouncer 1.21 or later is not installed: see make test-poolers"),
        .timeLimit(.minutes(5)), arguments: ConformanceRule.all)
    func transaction(_ rule: ConformanceRule) async throws {
        try await Self.run(rule, .transaction)
    }
}
