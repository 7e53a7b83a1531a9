import Cabinet
import CabinetConformance
import Testing

@Suite("Reads precede changes")
struct ReadingFirstTests {
    /// The rules about requests: not those that write to the backend themselves, nor those about tools, which copy and repair stores.
    private static let rules = ConformanceRule.all.filter { rule in
        if case .storage = rule.source { return false }
        return ![.copying, .verification].contains(rule.family) && !rule.name.hasSuffix(", with every field indexed")
    }

    @Test("No request reads after its transaction has applied a mutation", arguments: rules)
    func requests(_ rule: ConformanceRule) async throws {
        try await rule.run(timeLimit: .seconds(240)) { ReadingFirstBackend() }
    }
}
