import Cabinet
import Testing

@testable import CabinetConformance

/// Wrong wires prove that the rules find what a coding loses.
@Suite("The rules find a wire that")
struct LoopbackFaultTests {
    /// A rule that fails with each fault.
    private static let rules: [LoopbackService.Fault: String] = [
        .caller: "users are the server's",
        .device: "a zone subscription reports changes in its zone",
        .signals: "other devices' changes are reported",
        .errorDetails: "a batch names a record once",
        .conflicts: "a conflict holds three records",
        .requestPart: "desiredKeys are exactly the fetched keys",
        .savedParts: "a strict container keeps the unknown fields of a record",
        .responsePart: "changes come in pages",
        .uploads: "a file's bytes are stored",
        .assetRange: "assets of every size are stored",
    ]

    private func fails(_ rule: ConformanceRule, with fault: LoopbackService.Fault) async -> Bool {
        do {
            _ = try await rule.runIfApplicable(
                on: .inMemory { MemoryBackend() }, timeLimit: .seconds(60), adapt: LoopbackService.adapt(with: fault))
            return false
        } catch {
            return true
        }
    }

    @Test("has a fault", arguments: LoopbackService.Fault.allCases)
    func fault(_ fault: LoopbackService.Fault) async throws {
        let name = try #require(Self.rules[fault])
        let rule = try #require(ConformanceRule.all.first { $0.name == name }, "There is no rule '\(name)'.")
        #expect(await fails(rule, with: fault), "The rule '\(name)' passes with the fault \(fault).")
    }
}
