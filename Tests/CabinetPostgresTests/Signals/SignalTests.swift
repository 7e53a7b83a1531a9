import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// The signals that one backend receives of another's writes.
@Suite struct SignalTests {
    /// Waits until a signal arrives.
    private func signal(from stream: AsyncStream<Void>) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in stream { return true }
                return false
            }
            group.addTask {
                try await Task.sleep(for: .seconds(20))
                return false
            }
            let hasCome = try await group.next()
            #expect(hasCome == true)
            group.cancelAll()
        }
    }

    @Test("A write signals in other backends, also after the connection that listens was lost")
    func otherBackends() async throws {
        let configuration = Stores.configuration()
        let name = "listening-\(UUID().uuidString)"
        let connection = try await PostgresServer.shared.value.connection()
        let here = try PostgresBackend(
            connection: connection + "?application_name=\(name)", configuration: configuration)
        let there = try await Stores.backend(configuration)
        let key = DatabaseKey.private(owner: "_an/na \u{1} ä")
        // The first one may be that of the new connection.
        let signals = here.changeSignals(of: key)
        try await signal(from: signals)
        for round in 0..<3 {
            let stream = here.changeSignals(of: key)
            let others = here.changeSignals(of: .public)
            let waiting = Task { try await signal(from: stream) }
            try await there.write(key) { try await $0.add([], to: "Type\(round)") }
            try await waiting.value
            _ = others
            let admin = try Connection(ConnectionParameters(connection), configuration: configuration)
            _ = try admin.query(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1",
                [.text(name)])
        }
        let last = here.changeSignals(of: key)
        await here.close()
        for await _ in last {}
        await there.close()
    }

    @Test("Without observers, no connection listens")
    func ends() async throws {
        let backend = try await Stores.backend()
        let task = Task { for await _ in backend.changeSignals(of: .public) {} }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await task.value
        await backend.close()
    }
}
