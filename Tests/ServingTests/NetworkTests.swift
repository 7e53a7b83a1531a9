import Cabinet
import CabinetRemote
import CabinetTesting
import Foundation
import Testing

/// A network that breaks, stalls and is cut between a server and its clients.
@Suite("A bad network", .serialized)
struct NetworkTests {
    @Test("loses and repeats nothing that was acknowledged, and the clients go on")
    func cut() async throws {
        let (seed, isLong) = (Soak.seed, Soak.isAsked)
        let server = try await RestartedServer()
        let proxy = try NetworkProxy(to: server.port, generator: SeededGenerator(seed: seed))
        let ledger = Ledger(server: server, seed: seed) { server in
            try server.client(at: proxy.url) { configuration in
                // The full minute is for the limits that programs have. Retries last as long as a busy machine needs.
                if !isLong {
                    (configuration.idleTimeLimit, configuration.retryTimeLimit) = (.seconds(5), .seconds(600))
                }
            }
        }
        let operations = try await ledger.run {
            for _ in 0..<(isLong ? 3 : 1) {
                try await Task.sleep(for: .seconds(1))
                proxy.set(.breaking(after: 20_000))
                try await Task.sleep(for: .seconds(isLong ? 30 : 3))
                proxy.set(.cut)
                try await Task.sleep(for: .seconds(isLong ? 60 : 3))
                proxy.set(.breaking(after: 100_000))
                try await Task.sleep(for: .seconds(isLong ? 10 : 2))
                // Longer than the silence that a client permits in the short run.
                proxy.set(.stalled)
                try await Task.sleep(for: .seconds(isLong ? 60 : 7))
                proxy.set(.open)
                try await Task.sleep(for: .seconds(1))
            }
        }
        #expect(proxy.breaks > 8)
        Soak.report("bad network: \(proxy.breaks) broken connections, \(operations) operations, seed \(seed)")
        proxy.end()
        try await server.end()
        try await server.verify()
    }
}
