import Cabinet
import CabinetConformance
import CabinetPostgres
import PostgresTestSupport
import StorageTestSupport
import Testing

@Suite("Conformance")
struct ConformanceTests {
    /// Some rules need twenty connections.
    private static let permits = ResourcePool(permits: 4)

    private static func subject() async throws -> ConformanceSubject {
        let subject = ConformanceSubject.named { store in
            var configuration = Stores.configuration()
            configuration.schema = store
            return try await Stores.cheapBackend(configuration)
        } removing: { _ in
        }
        return subject.withHelper(
            try #require(SavingProcess.executable), arguments: [try await PostgresServer.shared.value.connection()])
    }

    @Test("PostgreSQL passes every rule", .timeLimit(.minutes(5)), arguments: ConformanceRule.all)
    func rule(_ rule: ConformanceRule) async throws {
        let subject = try await Self.subject()
        try await Self.permits.withResource { try await rule.run(on: subject) }
    }
}
