import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// Connections, and their lifetimes.
@Suite struct PoolTests {
    @Test("Each connection runs one transaction at a time; others wait, or time out")
    func limit() async throws {
        var configuration = Stores.configuration()
        configuration.maximumConnections = 1
        configuration.connectionWaitLimit = .milliseconds(100)
        let backend = try await Stores.backend(configuration)
        try await backend.write(.public) { try await $0.add([], to: "Type") }
        try await backend.read(.public) { _ in
            let error = await #expect(throws: CabinetError.self) {
                try await backend.read(.public) { try await $0.schema() }
            }
            #expect(error?.code == .serviceUnavailable)
            #expect(error?.retryAfterSeconds != nil)
            let waiting = Task { try await backend.read(.public) { try await $0.schema() } }
            waiting.cancel()
            let cancelled = await #expect(throws: CabinetError.self) { try await waiting.value }
            #expect(cancelled?.code == .operationCancelled)
        }
        #expect(try await backend.read(.public) { try await $0.schema() }.recordTypes.count == 1)
        await backend.close()
        configuration.connectionWaitLimit = .seconds(60)
        let patient = try await Stores.backend(configuration)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask { try await patient.read(.public) { try await $0.schema().recordTypes.count } }
            }
            for try await count in group { #expect(count == 1) }
        }
        await patient.close()
    }

    @Test("Connections that the server has ended are replaced without an error")
    func replacement() async throws {
        var configuration = Stores.configuration()
        configuration.idleCheckInterval = .zero
        for checksAlways in [true, false] {
            if !checksAlways { configuration.idleCheckInterval = .seconds(1000) }
            let name = "replaced-\(UUID().uuidString)"
            let connection = try await PostgresServer.shared.value.connection() + "?application_name=\(name)"
            let backend = try PostgresBackend(connection: connection, configuration: configuration)
            try await backend.write(.public) { try await $0.add([], to: "Type") }
            for round in 0..<5 {
                try await end(connectionsOf: name)
                if round % 2 == 0 {
                    #expect(try await backend.read(.public) { try await $0.schema() }.recordTypes.count == 1)
                } else {
                    let number = try await backend.write(.public) { try await $0.reserveNumber() }
                    #expect(number > 0)
                }
            }
            await backend.close()
        }
    }

    @Test("A write whose connection ends is run again; a read says that it did")
    func lossInTheMiddle() async throws {
        let name = "lost-\(UUID().uuidString)"
        let connection = try await PostgresServer.shared.value.connection() + "?application_name=\(name)"
        let backend = try PostgresBackend(connection: connection, configuration: Stores.configuration())
        try await backend.write(.public) { try await $0.add([], to: "Type") }
        let runs = Counter()
        try await backend.write(.public) { transaction in
            _ = try await transaction.reserveNumber()
            if await runs.next() == 1 { try await end(connectionsOf: name) }
            _ = try await transaction.load(StorageKeys(entries: [StorageKey("x")]))
        }
        #expect(await runs.count == 2)
        let error = await #expect(throws: CabinetError.self) {
            try await backend.read(.public) { snapshot in
                _ = try await snapshot.schema()
                try await end(connectionsOf: name)
                _ = try await snapshot.load(StorageKeys(entries: [StorageKey("x")]))
            }
        }
        #expect([.networkFailure, .serviceUnavailable].contains(error?.code))
        await backend.close()
    }

    @Test("Waiting too long for another writer is an error")
    func busy() async throws {
        var configuration = Stores.configuration()
        let first = try await Stores.backend(configuration)
        configuration.busyTimeout = .milliseconds(100)
        let second = try await Stores.backend(configuration)
        try await first.write(.public) { try await $0.add([], to: "Type") }
        try await first.write(.public) { transaction in
            _ = try await transaction.reserveNumber()
            let error = await #expect(throws: CabinetError.self) {
                try await second.write(.public) { try await $0.reserveNumber() }
            }
            #expect(error?.code == .zoneBusy)
            #expect(error?.retryAfterSeconds != nil)
            // Another database is independent.
            _ = try await second.write(.private(owner: "ben")) { try await $0.reserveNumber() }
        }
        #expect(try await second.write(.public) { try await $0.reserveNumber() } == 2)
        #expect(try await Set(second.databases()) == [.public, .private(owner: "ben")])
        await first.close()
        await second.close()
    }
}

private actor Counter {
    private(set) var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

/// Ends the connections that have a name, as an administrator would.
private func end(connectionsOf name: String) async throws {
    let admin = try Connection(
        ConnectionParameters(try await PostgresServer.shared.value.connection()),
        configuration: PostgresConfiguration())
    _ = try admin.query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1", [.text(name)])
}
