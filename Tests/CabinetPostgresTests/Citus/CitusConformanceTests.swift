import Cabinet
import CabinetConformance
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// The rules on a coordinator with two workers; `make test-citus` runs them.
@Suite("Conformance on Citus", .enabled(if: CitusCluster.isRequested))
struct CitusConformanceTests {
    private static let gate = Gate(2)
    private static let pool = Task {
        let parameters = try ConnectionParameters(try await CitusCluster.shared.value.coordinator.connection())
        return ConnectionPool(parameters, PostgresConfiguration(maximumConnections: 60))
    }

    private static func subject() async throws -> ConformanceSubject {
        let connection = try await CitusCluster.shared.value.coordinator.connection()
        let subject = ConformanceSubject.named { store in
            var configuration = Stores.configuration()
            configuration.schema = store
            return try PostgresBackend(
                connection: connection, configuration: configuration, sharing: try await pool.value)
        } removing: { _ in
        }
        return subject.withHelper(try #require(SavingProcess.executable), arguments: [connection])
    }

    @Test("Citus passes every rule", .timeLimit(.minutes(30)), arguments: ConformanceRule.all)
    func rule(_ rule: ConformanceRule) async throws {
        let subject = try await Self.subject()
        await Self.gate.enter()
        do {
            try await rule.run(on: subject)
        } catch {
            await Self.gate.leave()
            throw error
        }
        await Self.gate.leave()
    }
}
