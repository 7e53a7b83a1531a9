import Cabinet
import CabinetConformance
import Foundation
import PostgresTestSupport
import Testing

/// The rules behind a pooler.
///
/// `make test-poolers` runs all of them, in both modes, and `make test` every eighth one in session mode: the statements are those of
/// the rules without a pooler, so what a sample cannot find is rare.
@Suite struct PoolerConformanceTests {
    private static let inSession: [ConformanceRule] = {
        let variables = ProcessInfo.processInfo.environment
        if variables["CABINET_PGBOUNCER"] != nil || !variables["CABINET_RULE", default: ""].isEmpty {
            return ConformanceRule.chosen
        }
        return ConformanceRule.all.enumerated().filter { $0.offset.isMultiple(of: 8) }.map(\.element)
    }()

    /// Some rules need twenty connections.
    private static let permits = ResourcePool(permits: 4)

    private static func run(_ rule: ConformanceRule, _ mode: PgBouncer.Mode) async throws {
        let subject = try await Poolers.subject(mode)
        try await permits.withResource { try await rule.run(on: subject, timeLimit: .seconds(600)) }
    }

    @Test(
        "PostgreSQL behind a session pooler passes every rule", .timeLimit(.minutes(15)), arguments: inSession)
    func session(_ rule: ConformanceRule) async throws {
        try await Self.run(rule, .session)
    }

    @Test(
        "PostgreSQL behind a transaction pooler passes every rule",
        .enabled(if: Poolers.hasTransactionMode, "PgBouncer 1.21 or later is not installed: see make test-poolers"),
        .timeLimit(.minutes(15)), arguments: ConformanceRule.all)
    func transaction(_ rule: ConformanceRule) async throws {
        try await Self.run(rule, .transaction)
    }
}
