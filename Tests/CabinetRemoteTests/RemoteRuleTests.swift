import Cabinet
import CabinetSQLite
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

@testable import CabinetConformance
@testable import CabinetPostgres

/// The rules through a client, HTTP and a server, and so through coded requests, on two stores.
///
/// `make test` runs each rule once: one half of them on SQLite, the other half on PostgreSQL. HTTP carries the same requests for both,
/// and each rule runs on both without HTTP. `make loopback` runs all rules on both, also those that touch the backend.
@Suite("The rules through HTTP")
struct RemoteRuleTests {
    /// The rules that count what a backend does after a cancellation: a server notices that its client has gone within two seconds.
    private static let immediate: Set = ["a cascade that is cancelled reads and changes no more"]

    private static let rules = ConformanceRule.chosen.filter { !immediate.contains($0.name) }

    private static let isAsked: Bool = {
        let variables = ProcessInfo.processInfo.environment
        return variables["CABINET_LOOPBACK"] != nil || !variables["CABINET_RULE", default: ""].isEmpty
    }()

    /// The rules that run on a store: all if the environment asks for them, or the store's half.
    private static func rules(ofHalf half: Int) -> [ConformanceRule] {
        rules.filter { isAsked || !$0.touchesBackend && $0.half == half }
    }

    private func run(_ rule: ConformanceRule, on subject: ConformanceSubject) async throws {
        _ = try await rule.runIfApplicable(on: subject, timeLimit: .seconds(900), adapt: HTTPService.adapt)
    }

    @Test("in SQLite", arguments: rules(ofHalf: 0))
    func rule(_ rule: ConformanceRule) async throws {
        try await run(rule, on: .inDirectories { SQLiteBackend(directory: $0) })
    }

    /// Some rules need twenty connections.
    private static let permits = ResourcePool(permits: 4)
    private static let connections = Task {
        let parameters = try ConnectionParameters(try await PostgresServer.shared.value.connection())
        return Connections(parameters, PostgresConfiguration(maximumConnections: 80))
    }

    @Test("in PostgreSQL", arguments: rules(ofHalf: 1))
    func ruleInPostgreSQL(_ rule: ConformanceRule) async throws {
        let server = try await PostgresServer.shared.value
        let connections = try await Self.connections.value
        let subject = ConformanceSubject.named { store in
            try PostgresBackend(
                connection: server.connection(),
                configuration: PostgresConfiguration(
                    schema: store, maximumConnections: 8, reconnectionTimeLimit: .seconds(20)),
                sharing: connections)
        } removing: { _ in
        }
        try await Self.permits.withResource { try await run(rule, on: subject) }
        // A read stays on the thread of its request, unless it must wait for PostgreSQL with its thread.
        #expect(Connection.misplacedWaits.load(ordering: .relaxed) == 0)
    }

    @Test("are most of the rules, and name those that are left out")
    func names() {
        #expect(Self.immediate.isSubset(of: ConformanceRule.all.map(\.name)))
        let rules = ConformanceRule.all.filter { !$0.touchesBackend }
        #expect(rules.count >= 560)
        let first = rules.count { $0.half == 0 }
        #expect(abs(rules.count - 2 * first) < rules.count / 10)
    }
}
