import CabinetTesting
import Testing

@Suite("Conformance")
struct ConformanceTests {
    @Test(
        "Every backend keeps every rule", arguments: ConformanceRule.all, BackendKind.local)
    func rule(_ rule: ConformanceRule, on backend: BackendKind) async throws {
        try await rule.run(on: backend.subject)
    }
}
