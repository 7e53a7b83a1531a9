import CabinetConformance
import CabinetTesting
import Testing

@Suite("Conformance")
struct ConformanceTests {
    @Test(
        "Every backend keeps every rule", arguments: ConformanceRule.all, BackendKind.local)
    func rule(_ rule: ConformanceRule, on backend: BackendKind) async throws {
        try await rule.run(on: backend.subject)
    }

    @Test("A fault-injecting backend without a fault keeps every rule")
    func faultInjectingBackend() async throws {
        let report = await ConformanceRule.run(on: .inMemory { FaultInjectingBackend() })
        #expect(report.isPassed, "\(report)")
    }
}
