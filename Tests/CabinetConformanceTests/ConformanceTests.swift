import BackendTestSupport
import Testing

@testable import CabinetConformance

@Suite("Conformance")
struct ConformanceTests {
    @Test(
        "Every backend passes every rule", arguments: ConformanceRule.chosen, BackendKind.local)
    func rule(_ rule: ConformanceRule, on backend: BackendKind) async throws {
        try await rule.run(on: backend.subject, timeLimit: .seconds(600))
    }

    @Test("Rules about two processes apply to SQLite")
    func helper() throws {
        let rule = try #require(ConformanceRule.all.first { $0.needsHelper })
        #expect(BackendKind.sqlite.subject.isSubject(to: rule))
        #expect(!BackendKind.memory.subject.isSubject(to: rule))
    }
}
