import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// A server that stops during work, and starts again.
@Suite struct CrashTests {
    @Test(
        "After a restart of the server every returned save exists, none twice, and clients continue by themselves",
        .timeLimit(.minutes(15)))
    func restarts() async throws {
        let server = try await PostgresServer(isDurable: true)
        let connection = server.connection()
        let isOver = Flag()
        let progress = Progress()
        let saved = try await withThrowingTaskGroup(of: [String: String].self) { group in
            for client in 0..<8 {
                group.addTask {
                    let backend = try PostgresBackend(connection: connection)
                    let database = try Container(identifier: "com.example.crash", backend: backend).privateDatabase
                    var saved: [String: String] = [:]
                    var number = 0
                    while await !isOver.isSet {
                        let id = RecordID(recordName: "\(client)-\(number)")
                        var record = Record(recordType: "Items", recordID: id)
                        record["number"] = number
                        saved[id.recordName] = try await database.save(record).recordChangeTag
                        number += 1
                        await progress.advance()
                    }
                    await backend.close()
                    return saved
                }
            }
            for mode in [PostgresServer.Mode.immediate, .fast, .immediate] {
                try await progress.waitForMore(than: 20)
                try await server.restart(mode)
            }
            try await progress.waitForMore(than: 20)
            await isOver.set()
            return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        let backend = try PostgresBackend(connection: connection)
        let database = try Container(identifier: "com.example.crash", backend: backend).privateDatabase
        let all = try await database.allRecords(matching: Query(recordType: "Items"))
        #expect(saved.count > 80)
        #expect(Set(all.map(\.recordID.recordName)) == Set(saved.keys))
        #expect(all.count == saved.count)
        #expect(Set(all.compactMap(\.recordChangeTag)).count == saved.count)
        for record in all { #expect(record.recordChangeTag == saved[record.recordID.recordName]) }
        await backend.close()
    }

    @Test("A save survives a killed process of the server, although the server's synchronous_commit is off")
    func asynchronousCommit() async throws {
        let server = try await PostgresServer(
            isDurable: true, settings: ["synchronous_commit=off", "wal_writer_delay=10s"])
        let backend = try PostgresBackend(connection: server.connection())
        let database = try Container(identifier: "com.example.crash", backend: backend).privateDatabase
        try await database.save(Record(recordType: "Items"))
        let connection = try Connection(
            ConnectionParameters(server.connection()), configuration: PostgresConfiguration())
        let process = try #require(connection.query("SELECT pg_backend_pid()::bigint").first?.integer(0))
        let saved = try await database.save(Record(recordType: "Items"))
        // The server then ends all other processes, and recovers.
        #expect(kill(pid_t(process), SIGKILL) == 0)
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                let found = try await database.record(for: saved.recordID)
                #expect(found.recordChangeTag == saved.recordChangeTag)
                break
            } catch let error as CabinetError
                where [.networkFailure, .serviceUnavailable].contains(error.code) && ContinuousClock.now < end
            {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        await backend.close()
    }

    @Test("A server that is away for too long is said to be so, with the time after which to try again")
    func away() async throws {
        let server = try await PostgresServer(isDurable: true)
        var configuration = PostgresConfiguration()
        configuration.reconnectionTimeLimit = .milliseconds(200)
        let backend = try PostgresBackend(connection: server.connection(), configuration: configuration)
        let database = try Container(identifier: "com.example.crash", backend: backend).privateDatabase
        try await database.save(Record(recordType: "Items"))
        try await server.goDown()
        for _ in 0..<2 {
            let error = await #expect(throws: CabinetError.self) {
                try await database.save(Record(recordType: "Items"))
            }
            #expect(error?.code == .networkFailure || error?.code == .serviceUnavailable, "\(error as Any)")
        }
        try await server.comeUp()
        try await database.save(Record(recordType: "Items"))
        #expect(try await database.allRecords(matching: Query(recordType: "Items")).count == 2)
        await backend.close()
    }
}

/// The number of saves that have returned.
private actor Progress {
    private var count = 0
    private var seen = 0

    func advance() { count += 1 }

    /// Waits until more than this many have returned since the last call.
    func waitForMore(than number: Int) async throws {
        while count - seen <= number { try await Task.sleep(for: .milliseconds(10)) }
        seen = count
    }
}

private actor Flag {
    private(set) var isSet = false

    func set() { isSet = true }
}
