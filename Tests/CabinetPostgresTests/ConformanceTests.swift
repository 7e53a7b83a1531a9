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

    private static let schemas = SchemaNames()

    @Test("PostgreSQL passes every rule", .timeLimit(.minutes(15)), arguments: ConformanceRule.chosen)
    func rule(_ rule: ConformanceRule) async throws {
        let server = try await Self.server.value
        let connections = try await Self.connections.value
        let subject = ConformanceSubject.named { store in
            Self.schemas.insert(store)
            var configuration = Stores.configuration()
            configuration.schema = store
            return try PostgresBackend(
                connection: server.connection(), configuration: configuration, sharing: connections)
        } removing: { _ in
        }.withHelper(try #require(SavingProcess.executable), arguments: [server.connection()])
        let result = await Result {
            try await Self.permits.withResource { try await rule.run(on: subject, timeLimit: .seconds(600)) }
        }
        // The last rule checks the log of all, because reading it takes long.
        if Self.schemas.isLastRule() {
            let log = StatementLog(try server.log(from: 0))
            #expect(log.violations(in: Self.schemas.names).isEmpty)
        }
        try result.get()
    }

    /// Opens an empty store on the server whose statements are logged.
    private static func store() async throws -> (PostgresServer, PostgresConfiguration, Database) {
        let server = try await server.value
        let configuration = Stores.configuration()
        let backend = try PostgresBackend(
            connection: server.connection(), configuration: configuration, sharing: try await connections.value)
        return (server, configuration, try Container(identifier: "com.example.log", backend: backend).privateDatabase)
    }

    @Test("The log has the statements of a save, and shows what Citus would refuse")
    func log() async throws {
        let (server, configuration, database) = try await Self.store()
        let start = try server.logSize
        try await database.save(Record(recordType: "Items"))
        #expect(StatementLog(try server.log(from: start)).transactionCount(in: configuration.schema) > 2)
        let connection = try Connection(ConnectionParameters(server.connection()), configuration: configuration)
        let items = #""\#(configuration.schema)"."Items""#
        _ = try connection.query(#"SELECT "___etag" FROM \#(items) WHERE 1 = $1"#, [.integer(1)])
        let found = StatementLog(try server.log(from: start)).violations(in: [configuration.schema])
        #expect(found.count == 1 && found[0].hasPrefix("names no database"), "\(found)")
    }

    @Test("The references to many records are found by an index, even if most records refer to one")
    func references() async throws {
        let (server, configuration, database) = try await Self.store()
        let list = Record(recordType: "Lists")
        let items = (0..<300).map { _ in
            var item = Record(recordType: "Items")
            item["list"] = Reference(recordID: list.recordID, action: .deleteSelf)
            item.parent = Reference(recordID: list.recordID, action: .none)
            return item
        }
        let start = try server.logSize
        _ = try await database.modifyRecords(saving: [list] + items, deleting: [])
        let connection = try Connection(ConnectionParameters(server.connection()), configuration: configuration)
        try connection.run("ANALYZE \"\(configuration.schema)\".\"Items\"")
        try await database.deleteRecord(withID: list.recordID)
        let log = StatementLog(try server.log(from: start))
        let text = try #require(log.lastStatement("WITH w AS (SELECT v.zone", in: configuration.schema))
        try connection.run("PREPARE search (bigint, bigint[], text[]) AS \(text)")
        let names = items.map { "'\($0.recordID.recordName)'" }.joined(separator: ", ")
        let zones = Array(repeating: "1", count: items.count).joined(separator: ", ")
        let plan = try connection.query(
            "EXPLAIN EXECUTE search (1, ARRAY[\(zones)], ARRAY[\(names)])", [], isPrepared: false)
        let lines = plan.rows.compactMap { $0.text(0) }
        #expect(lines.contains { $0.contains("Index Scan") })
        #expect(!lines.contains { $0.contains("Seq Scan on \"Items\"") }, "\(lines)")
    }
}

/// The schemas that the rules have used, and the number of rules that have not ended.
private final class SchemaNames: Sendable {
    private let state = Mutex<Set<String>>([])
    private let remaining = Mutex(ConformanceRule.chosen.count)

    var names: Set<String> { state.withLock(\.self) }

    func insert(_ name: String) { _ = state.withLock { $0.insert(name) } }

    /// Whether the rule that ends now is the last one.
    func isLastRule() -> Bool {
        remaining.withLock { remaining in
            remaining -= 1
            return remaining == 0
        }
    }
}

extension Result where Failure == any Error {
    /// Runs a closure, and keeps its error.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
