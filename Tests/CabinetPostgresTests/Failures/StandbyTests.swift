import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// Commits that wait for a synchronous standby, which does not exist.
@Suite struct StandbyTests {
    @Test(
        "A commit that no standby confirms ends after the time limit, with an unknown outcome",
        .timeLimit(.minutes(15)))
    func missingStandby() async throws {
        let server = try await PostgresServer(isDurable: true)
        var configuration = Stores.configuration()
        configuration.statementTimeLimit = .milliseconds(100)
        configuration.busyTimeout = .milliseconds(500)
        let backend = try PostgresBackend(connection: server.connection(), configuration: configuration)
        let database = try Container(identifier: "com.example.standby", backend: backend).privateDatabase
        let admin = try Connection(ConnectionParameters(server.connection()), configuration: PostgresConfiguration())
        func setStandbys(_ names: String) throws {
            try admin.run("ALTER SYSTEM SET synchronous_standby_names = '\(names)'")
            try admin.run("SELECT pg_reload_conf()")
        }
        try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "first")))

        try admin.run("SET synchronous_commit = local")
        try setStandbys("missing")
        var names = ["first"]
        var error: CabinetError?
        // The server heeds its new configuration a moment later.
        while error == nil, names.count < 1000 {
            names.append("record-\(names.count)")
            do {
                try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: names.last ?? "")))
            } catch let unconfirmed as CabinetError {
                error = unconfirmed
            }
        }
        #expect(error?.code == .serverResponseLost, "\(error as Any)")
        #expect(error?.message.contains("standby") == true, "\(error as Any)")
        // It is committed here, and the connections are free.
        let stored = try await database.records(for: names.map { RecordID(recordName: $0) })
        #expect(stored.values.allSatisfy { (try? $0.get()) != nil })

        try setStandbys("")
        error = CabinetError(.internalError, "")
        var attempts = 0
        while error != nil, attempts < 100 {
            attempts += 1
            do {
                try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "last-\(attempts)")))
                error = nil
            } catch let unconfirmed as CabinetError {
                error = unconfirmed
            }
        }
        #expect(error == nil)
        await backend.close()
    }

    @Test(
        "A commit that the server ends while it waits for a standby is not taken for confirmed",
        .timeLimit(.minutes(15)))
    func endedWait() async throws {
        let server = try await PostgresServer(isDurable: true)
        var configuration = Stores.configuration()
        configuration.busyTimeout = .seconds(5)
        configuration.statementTimeLimit = .seconds(2)
        let backend = try PostgresBackend(connection: server.connection(), configuration: configuration)
        let database = try Container(identifier: "com.example.standby", backend: backend).privateDatabase
        try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "first")))
        let admin = try Connection(ConnectionParameters(server.connection()), configuration: PostgresConfiguration())
        try admin.run("SET synchronous_commit = local")
        try admin.run("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
        try admin.run("SELECT pg_reload_conf()")
        let saving = Task {
            for number in 0..<1000 {
                try await database.save(
                    Record(recordType: "Items", recordID: RecordID(recordName: "record-\(number)")))
            }
        }
        // Ends the process that waits, after it has committed.
        var ended = 0
        while ended == 0 {
            ended = try admin.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            ).count
            try await Task.sleep(for: .milliseconds(10))
        }
        let error = await #expect(throws: CabinetError.self) { try await saving.value }
        #expect(error?.code == .serverResponseLost, "\(error as Any)")
        await backend.close()
    }
}
