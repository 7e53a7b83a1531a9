import Cabinet
import Foundation
import Testing

@testable import CabinetConformance

/// The rules through the coding of the seam: encode, decode, engine, encode, decode.
///
/// In SQLite and PostgreSQL, the rules run through the same coding and HTTP. `make loopback` also runs those that send no request, and the
/// repetitions with every field indexed, which send the requests of the rules that they repeat.
@Suite("The rules through coded requests")
struct ServiceRuleTests {
    private static let rules: [ConformanceRule] = {
        let variables = ProcessInfo.processInfo.environment
        let isAsked = variables["CABINET_LOOPBACK"] != nil || !variables["CABINET_RULE", default: ""].isEmpty
        return ConformanceRule.chosen.filter { isAsked || !$0.sendsNoRequest && !$0.indexesEveryField }
    }()

    @Test("in memory", arguments: rules)
    func ruleInMemory(_ rule: ConformanceRule) async throws {
        _ = try await rule.runIfApplicable(
            on: .inMemory { MemoryBackend() }, timeLimit: .seconds(600), adapt: LoopbackService.adapt)
    }
}
