import Cabinet
import CabinetConformance
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Synchronization
import Testing

@testable import CabinetPostgres

/// The rules, on a server that logs its statements, which are those that Citus runs on one worker.
@Suite("Conformance")
struct ConformanceTests {
    /// Some rules need twenty connections.
    private static let permits = ResourcePool(permits: 4)
    private static let server = Task { try await PostgresServer(isDurable: false, settings: StatementLog.settings) }
    private static let connections = Task {
        let parameters = try ConnectionParameters(try await server.value.connection())
        return Connections(parameters, PostgresConfiguration(maximumConnections: 80))
    }

    @Test("PostgreSQL passes every rule", .timeLimit(.minutes(5)), arguments: ConformanceRule.all)
    func rule(_ rule: ConformanceRule) async throws {
        let server = try await Self.server.value
        let connections = try await Self.connections.value
        let schemas = SchemaNames()
        let subject = ConformanceSubject.named { store in
            schemas.insert(store)
            var configuration = Stores.configuration()
            configuration.schema = store
            return try PostgresBackend(
                connection: server.connection(), configuration: configuration, sharing: connections)
        } removing: { _ in
        }.withHelper(try #require(SavingProcess.executable), arguments: [server.connection()])
        try await Self.permits.withResource {
            let start = try server.logSize
            try await rule.run(on: subject)
            let log = StatementLog(try server.log(from: start))
            for schema in schemas.names { #expect(log.violations(in: schema).isEmpty) }
        }
    }

    @Test("The log has the statements of a save, and shows what Citus would refuse")
    func log() async throws {
        let server = try await Self.server.value
        let configuration = Stores.configuration()
        let backend = try PostgresBackend(
            connection: server.connection(), configuration: configuration, sharing: try await Self.connections.value)
        let database = try Container(identifier: "com.example.log", backend: backend).privateDatabase
        let start = try server.logSize
        try await database.save(Record(recordType: "Items"))
        #expect(StatementLog(try server.log(from: start)).transactionCount(in: configuration.schema) > 2)
        let connection = try Connection(ConnectionParameters(server.connection()), configuration: configuration)
        let items = #""\#(configuration.schema)"."Items""#
        _ = try connection.query(#"SELECT "___etag" FROM \#(items) WHERE 1 = $1"#, [.integer(1)])
        let found = StatementLog(try server.log(from: start)).violations(in: configuration.schema)
        #expect(found.count == 1 && found[0].hasPrefix("names no database"), "\(found)")
    }
}

/// The schemas that a rule has used.
private final class SchemaNames: Sendable {
    private let state = Mutex<Set<String>>([])

    var names: Set<String> { state.withLock(\.self) }

    func insert(_ name: String) { _ = state.withLock { $0.insert(name) } }
}
