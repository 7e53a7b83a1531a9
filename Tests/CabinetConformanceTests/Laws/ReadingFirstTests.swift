import Cabinet
import CabinetConformance
import Testing

@Suite("Reads precede changes")
struct ReadingFirstTests {
    /// All rules but those that read their own writes in a transaction of the backend, and those about copies, which compare what they wrote.
    private static let rules = ConformanceRule.all.filter { rule in
        if case .storage = rule.source, [.storage, .transactions, .assets].contains(rule.family) { return false }
        return rule.family != .copying && !rule.name.hasSuffix(", with every field indexed")
    }

    @Test("No request reads after its transaction has applied a mutation", arguments: rules)
    func requests(_ rule: ConformanceRule) async throws {
        try await rule.run(timeLimit: .seconds(240)) { ReadingFirstBackend() }
    }
}
