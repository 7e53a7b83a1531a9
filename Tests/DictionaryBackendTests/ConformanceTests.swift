import CabinetConformance
import DictionaryBackend
import Testing

@Suite struct Conformance {
    @Test(arguments: ConformanceRule.all)
    func rule(_ rule: ConformanceRule) async throws {
        try await rule.run { DictionaryBackend() }
    }
}
