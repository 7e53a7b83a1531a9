import Cabinet
import CabinetConformance
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// The rules on a coordinator with two workers; `make test-citus` runs them.
@Suite("Conformance on Citus", .enabled(if: CitusCluster.isRequested))
struct CitusConformanceTests {
    private static let permits = ResourcePool(permits: 2)
    private static let connections = Task {
        let parameters = try ConnectionParameters(try await CitusCluster.shared.value.coordinator.connection())
        return Connections(parameters, PostgresConfiguration(maximumConnections: 60))
    }

    private static func subject() async throws -> ConformanceSubject {
        let connection = try await CitusCluster.shared.value.coordinator.connection()
        let subject = ConformanceSubject.named { store in
            var configuration = Stores.configuration()
            configuration.schema = store
            return try PostgresBackend(
                connection: connection, configuration: configuration, sharing: try await connections.value)
        } removing: { _ in
        }
        return subject.withHelper(try #require(SavingProcess.executable), arguments: [connection])
    }

    @Test("Citus passes every rule", .timeLimit(.minutes(30)), arguments: ConformanceRule.all)
    func rule(_ rule: ConformanceRule) async throws {
        let subject = try await Self.subject()
        try await Self.permits.withResource { try await rule.run(on: subject, timeLimit: .seconds(600)) }
    }
}
