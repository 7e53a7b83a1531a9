import Cabinet
import Testing

@testable import CabinetConformance

/// Wrong wires prove that the rules find what a coding loses.
@Suite("The rules find a wire that")
struct LoopbackFaultTests {
    /// A rule that fails with each fault.
    private static let rules: [LoopbackService.Fault: String] = [:]

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

    @Test("temporary", arguments: LoopbackService.Fault.allCases)
    func search(_ fault: LoopbackService.Fault) async throws {
        var failed: [String] = []
        for rule in ConformanceRule.written where !rule.needsHelper && !rule.needsReopening {
            let ok =
                (try? await rule.runIfApplicable(
                    on: .inMemory { MemoryBackend() }, timeLimit: .seconds(20),
                    adapt: LoopbackService.adapt(with: fault))) != nil
            if !ok { failed.append(rule.description) }
            if failed.count > 25 { break }
        }
        print("FAULT \(fault): \(failed.joined(separator: " | "))")
    }
}
