import Cabinet
import Foundation
import Testing

@testable import CabinetConformance

/// The rules through the coding of the seam: encode, decode, engine, encode, decode.
///
/// In SQLite and PostgreSQL, the rules run through the same coding and HTTP. So `make test` runs only those here that cannot run there:
/// rules about the storage protocols that send requests, and one about a cancellation. `make loopback` runs all.
@Suite("The rules through coded requests")
struct ServiceRuleTests {
    private static let rules: [ConformanceRule] = {
        let variables = ProcessInfo.processInfo.environment
        let isAsked = variables["CABINET_LOOPBACK"] != nil || !variables["CABINET_RULE", default: ""].isEmpty
        if isAsked { return ConformanceRule.chosen }
        return ConformanceRule.all.filter { rule in
            guard !rule.sendsNoRequest, !rule.indexesEveryField else { return false }
            return rule.touchesBackend || rule.name == "a cascade that is cancelled reads and changes no more"
        }
    }()

    @Test("in memory", arguments: rules)
    func ruleInMemory(_ rule: ConformanceRule) async throws {
        _ = try await rule.runIfApplicable(
            on: .inMemory { MemoryBackend() }, timeLimit: .seconds(600), adapt: LoopbackService.adapt)
    }
}
