import Cabinet
import CabinetSQLite
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetConformance
@testable import CabinetPostgres

/// The rules through the coding of the seam: encode, decode, engine, encode, decode.
///
/// In memory, all rules run; in the other stores, those of the families that depend on what is coded. `make loopback` runs all
/// rules in all stores.
@Suite("The rules through coded requests")
struct ServiceRuleTests {
    /// The families of rules whose requests and responses have values, errors and positions of a store.
    private static let families: Set<ConformanceRule.Family> = [
        .values, .savePolicies, .batches, .references, .paging, .changes, .observation, .subscriptions, .accounts,
        .assets,
    ]

    /// All rules, if `make loopback` asks for them, or the rule that `make test` names.
    private static let inStores: [ConformanceRule] = {
        let variables = ProcessInfo.processInfo.environment
        if variables["CABINET_LOOPBACK"] != nil || !variables["CABINET_RULE", default: ""].isEmpty {
            return ConformanceRule.chosen
        }
        return ConformanceRule.all.filter { families.contains($0.family) }
    }()

    private func run(_ rule: ConformanceRule, on subject: ConformanceSubject) async throws {
        _ = try await rule.runIfApplicable(on: subject, timeLimit: .seconds(240), adapt: LoopbackService.adapt)
    }

    @Test("in memory", arguments: ConformanceRule.chosen)
    func ruleInMemory(_ rule: ConformanceRule) async throws {
        try await run(rule, on: .inMemory { MemoryBackend() })
    }

    @Test("in SQLite", arguments: inStores)
    func ruleInSQLite(_ rule: ConformanceRule) async throws {
        try await run(rule, on: .inDirectories { SQLiteBackend(directory: $0) })
    }

    /// Some rules need twenty connections.
    private static let permits = ResourcePool(permits: 4)
    private static let connections = Task {
        let parameters = try ConnectionParameters(try await PostgresServer.shared.value.connection())
        return Connections(parameters, PostgresConfiguration(maximumConnections: 80))
    }

    @Test("in PostgreSQL", arguments: inStores)
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
    }
}
