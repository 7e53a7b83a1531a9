import Cabinet
import Testing

@testable import CabinetConformance

/// The rules through the coding of the seam: encode, decode, engine, encode, decode.
///
/// In SQLite and PostgreSQL, the rules run through the same coding and HTTP.
@Suite("The rules through coded requests")
struct ServiceRuleTests {
    @Test("in memory", arguments: ConformanceRule.chosen)
    func ruleInMemory(_ rule: ConformanceRule) async throws {
        _ = try await rule.runIfApplicable(
            on: .inMemory { MemoryBackend() }, timeLimit: .seconds(240), adapt: LoopbackService.adapt)
    }
}
