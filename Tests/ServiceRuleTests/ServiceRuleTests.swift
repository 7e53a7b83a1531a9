import Cabinet
import CabinetPostgres
import CabinetSQLite
import PostgresTestSupport
import Testing

@testable import CabinetConformance

/// Every rule through the coding of the seam: encode, decode, engine, encode, decode.
@Suite("The rules through coded requests")
struct ServiceRuleTests {
    private func run(_ rule: ConformanceRule, on subject: ConformanceSubject) async throws {
        _ = try await rule.runIfApplicable(on: subject, timeLimit: .seconds(240), adapt: LoopbackService.adapt)
    }

    @Test("in memory", arguments: ConformanceRule.all)
    func memory(_ rule: ConformanceRule) async throws {
        try await run(rule, on: .inMemory { MemoryBackend() })
    }

    @Test("in SQLite", arguments: ConformanceRule.all)
    func sqlite(_ rule: ConformanceRule) async throws {
        try await run(rule, on: .inDirectories { SQLiteBackend(directory: $0) })
    }
}
