import Cabinet
import CabinetTesting
import Foundation
import PostgresTestSupport
import Testing

/// A server that is killed amidst the writes of its clients.
///
/// `make soak` does it for longer.
@Suite("A killed server", .serialized)
struct KillTests {
    enum Store: String, CaseIterable, Sendable { case SQLite, PostgreSQL }

    @Test("has everything that it has acknowledged, once, and its clients go on", arguments: Store.allCases)
    func kill(_ store: Store) async throws {
        let connection = store == .PostgreSQL ? try await PostgresServer.shared.value.newDatabase() : nil
        let (seed, rounds) = (Soak.seed, Soak.isAsked ? 40 : 4)
        let server = try await RestartedServer(store: connection)
        let ledger = Ledger(server: server, seed: seed) { try $0.client() }
        let operations = try await ledger.run {
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<rounds {
                try await Task.sleep(for: .milliseconds(Int.random(in: 200..<1_500, using: &generator)))
                try await server.crash(for: .milliseconds(Int.random(in: 0..<400, using: &generator)))
            }
            try await Task.sleep(for: .milliseconds(500))
        }
        Soak.report("kill -9 on \(store): \(rounds) kills, \(operations) operations, seed \(seed)")
        try await server.end()
        if store == .SQLite { try await server.verify() }
    }
}
