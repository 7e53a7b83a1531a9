import Cabinet
import CabinetConformance
import CabinetPostgres
import PostgresTestSupport
import Testing

@Suite("Conformance")
struct ConformanceTests {
    /// Some rules need a score of connections.
    private static let gate = Gate(4)

    @Test("PostgreSQL keeps every rule", .timeLimit(.minutes(5)), arguments: ConformanceRule.all)
    func rule(_ rule: ConformanceRule) async throws {
        let configuration = Stores.configuration()
        let open: @Sendable () async throws -> any StorageBackend = { try await Stores.cheapBackend(configuration) }
        _ = try await PostgresServer.shared.value
        await Self.gate.enter()
        do {
            try await rule.run(reopening: open, open)
        } catch {
            await Self.gate.leave()
            throw error
        }
        await Self.gate.leave()
    }
}
