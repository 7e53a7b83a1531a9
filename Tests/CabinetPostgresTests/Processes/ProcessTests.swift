import Cabinet
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// Several processes on one server, as on several machines.
@Suite struct ProcessTests {
    private func names(_ data: Data) -> [String] {
        // An incomplete line was not printed: the process died before.
        data.prefix(upTo: (data.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1).split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("Processes that save at once lose nothing, nor does one that is killed", arguments: ["batches", "schema"])
    func processes(mode: String) async throws {
        let connection = try await PostgresServer.shared.value.connection()
        let configuration = Stores.configuration()
        let runs = try ["a", "b"].map { try SavingProcess([connection, $0, "40", mode], schema: configuration.schema) }
        let victim = try SavingProcess([connection, "c", "forever", mode], schema: configuration.schema)
        var printed = Data()
        while names(printed).count < 25 {
            let data = victim.availableOutput()
            if data.isEmpty { break }
            printed += data
        }
        victim.kill()
        printed += victim.finish().output
        var saved = names(printed)
        for run in runs {
            let (output, errors, status) = run.finish()
            saved += names(output)
            #expect(status == 0, "\(errors)")
        }
        #expect(saved.count >= (mode == "batches" ? 95 : 105))
        let backend = try await Stores.backend(configuration)
        let database = try Container(identifier: "org.cabinet.saving-process", backend: backend).privateDatabase
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        let found = Set(changes.modificationResultsByID.keys.map(\.recordName))
        #expect(found.isSuperset(of: saved))
        await backend.close()
    }

    #if os(Linux)
    @Test("Saves that wait for the server occupy no threads", .timeLimit(.minutes(15)))
    func waitingSaves() async throws {
        let configuration = Stores.configuration()
        let backend = try await Stores.backend(configuration)
        try await backend.write(.public) { try await $0.add([], to: "Items") }
        let server = try await PostgresServer.shared.value.connection()
        let admin = try Connection(ConnectionParameters(server), configuration: configuration)
        let table = "\"\(configuration.schema)\".cabinet_state"
        try admin.run("BEGIN")
        try admin.run("LOCK TABLE \(table) IN EXCLUSIVE MODE")
        let count = 64
        let process = try SavingProcess([server, "waiting", "\(count)"], schema: configuration.schema)
        var isWaiting = false
        while !isWaiting, process.threadCount > 0 {
            try await Task.sleep(for: .milliseconds(100))
            let waiting = try admin.query(
                "SELECT count(*) FROM pg_locks WHERE relation = $1::text::regclass AND NOT granted", [.text(table)])
            isWaiting = waiting.first?.integer(0) == Int64(count)
        }
        #expect(isWaiting)
        // The main thread, those of Swift's and Dispatch's pools, and the one that waits for all sockets.
        let limit = ProcessInfo.processInfo.activeProcessorCount + 5
        // Threads without work end after some seconds.
        for _ in 0..<400 where process.threadCount > limit { try await Task.sleep(for: .milliseconds(300)) }
        #expect((1...limit).contains(process.threadCount))
        try admin.run("ROLLBACK")
        let (_, errors, status) = process.finish()
        #expect(status == 0, "\(errors)")
        #expect(try await backend.databases().count == count + 1)
        await backend.close()
    }

    @Test("A backend has a thread for each connection that works, one for all others, and none when it is idle")
    func threads() async throws {
        let connection = try await PostgresServer.shared.value.connection()
        let process = try SavingProcess([connection, "threads"], schema: Stores.configuration().schema)
        let (output, errors, status) = process.finish()
        let numbers = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let counts = numbers.compactMap { Int($0) }
        #expect(status == 0, "\(errors)")
        try #require(counts.count == 2)
        // The main thread, and those of Swift's and Dispatch's pools.
        let others = ProcessInfo.processInfo.activeProcessorCount + 4
        // Ten connections of transactions, the one that announces, the one that is being opened to listen, and the sockets.
        #expect((3...(10 + 3 + others)).contains(counts[0]), "\(counts)")
        #expect(counts[1] <= others, "\(counts)")
    }
    #endif
}
