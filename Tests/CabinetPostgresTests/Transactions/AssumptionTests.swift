import Cabinet
import Foundation
import PostgresTestSupport
import SQLSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// A write that only creates records takes one round trip, and is run again if what it assumes is wrong.
@Suite struct AssumptionTests {
    private let configuration = Stores.configuration()

    /// A process with a user's private database, in which it was the last one to write.
    private struct Process {
        let backend: PostgresBackend
        let database: Database

        init(_ configuration: PostgresConfiguration, on server: PostgresServer? = nil) async throws {
            backend =
                if let server {
                    try PostgresBackend(connection: server.connection(), configuration: configuration)
                } else {
                    try await Stores.backend(configuration)
                }
            let account = Account(userRecordName: "_anna")
            database = try Container(identifier: "com.example.assuming", backend: backend, account: account)
                .privateDatabase
        }

        func save(_ name: String, in zoneID: RecordZone.ID = .default) async throws {
            var record = Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zoneID))
            record["number"] = 1
            _ = try await database.save(record)
        }

        /// The number of round trips of some work.
        func trips(_ work: () async throws -> Void) async rethrows -> Int {
            let before = backend.pool.roundTrips
            try await work()
            return backend.pool.roundTrips - before
        }

        func names() async throws -> [String] {
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
            return changes.modificationResultsByID.keys.map(\.recordName).sorted()
        }
    }

    private func process() async throws -> Process {
        let process = try await Process(configuration)
        for number in 0..<3 { try await process.save("start\(number)") }
        return process
    }

    private let start = ["start0", "start1", "start2"]

    @Test("New records take one round trip, each alone, several together, and those of a batch")
    func roundTrips() async throws {
        let process = try await process()
        #expect(try await process.trips { try await process.save("a") } == 1)
        let batch = (0..<300).map { Record(recordType: "Items", recordID: RecordID(recordName: "batch \($0)")) }
        let trips = try await process.trips {
            _ = try await process.database.modifyRecords(saving: batch, deleting: [])
        }
        #expect(trips == 1)
        let together = try await process.trips {
            try await withThrowingTaskGroup { group in
                for number in 0..<20 { group.addTask { try await process.save("together \(number)") } }
                try await group.waitForAll()
            }
        }
        #expect(together <= 20)
        #expect(try await process.names().count == 3 + 1 + 300 + 20)
        await process.backend.close()
    }

    @Test("A record that is stored already is a conflict, and nothing of its batch is stored")
    func storedRecord() async throws {
        let process = try await process()
        try await process.save("a")
        let error = await #expect(throws: CabinetError.self) { try await process.save("a") }
        #expect(error?.code == .serverRecordChanged)
        try await process.save("b")
        try await process.save("c")
        let batch = ["d", "a"].map { Record(recordType: "Items", recordID: RecordID(recordName: $0)) }
        await #expect(throws: CabinetError.self) {
            _ = try await process.database.modifyRecords(saving: batch, deleting: [], atomically: true)
        }
        #expect(try await process.names() == ["a", "b", "c"] + start)
        await process.backend.close()
    }

    @Test("A new reference takes one round trip, and its target must be stored")
    func references() async throws {
        let process = try await process()
        func item(_ name: String, referringTo target: String) -> Record {
            var record = Record(recordType: "Items", recordID: RecordID(recordName: name))
            record["list"] = Reference(recordID: RecordID(recordName: target), action: .deleteSelf)
            return record
        }
        try await process.database.save(item("a", referringTo: "start0"))
        let trips = try await process.trips {
            _ = try await process.database.save(item("b", referringTo: "start1"))
        }
        #expect(trips == 1)
        let error = await #expect(throws: CabinetError.self) {
            try await process.database.save(item("c", referringTo: "missing"))
        }
        #expect(error?.code == .referenceViolation)
        #expect(try await process.names() == ["a", "b"] + start)
        await process.backend.close()
    }

    @Test("An entry that the same transaction has set is known, although it has set many others since")
    func pendingEntries() async throws {
        let process = try await process()
        let key = StorageKey("test/first")
        @Sendable func load(_ transaction: any StorageTransaction) async throws -> [String?] {
            var keys = StorageKeys(entries: [key])
            keys.areRecordsNew = true
            return try await transaction.load(keys).entries
        }
        let texts = try await process.backend.write(.private(owner: "_anna")) { transaction in
            let before = try await load(transaction)
            try await transaction.apply([.setEntry(key, "text")])
            try await transaction.apply(
                (0..<KnownEntries.countLimit + 10).map { .setEntry(StorageKey("test/\($0)"), "other") })
            let after = try await load(transaction)
            // Only a write that goes on checks what it has assumed in between.
            try await transaction.apply([.setEntry(StorageKey("test/last"), "text")])
            return before + after
        }
        #expect(texts == [nil, "text"])
        await process.backend.close()
    }

    @Test("Processes that write by turns soon stop assuming, as each wrong assumption is an error in the server's log")
    func turns() async throws {
        let server = try await PostgresServer(isDurable: false, settings: ["log_min_messages=error"])
        let offset = try server.logSize
        let (first, second) = (
            try await Process(configuration, on: server), try await Process(configuration, on: server)
        )
        for round in 0..<20 {
            for number in 0..<3 { try await first.save("\(round) \(number)") }
            try await second.save("\(round)")
        }
        await first.backend.close()
        await second.backend.close()
        let errors = try server.log(from: offset).components(separatedBy: "division by zero").count - 1
        #expect((1...4).contains(errors), "\(errors)")
    }

    @Test("Each wrong assumption doubles the writes before the next one; a long run without other writers resets this")
    func pauses() {
        let writes = LastWrites()
        let last = LastWrite(
            row: DatabaseRow(id: 1, schema: 0, lastZone: 1, hasDeletions: false, writes: 1), catalog: .empty,
            zones: ZoneTable(), entries: KnownEntries())
        /// The number of own writes before the next one assumes, after a wrong assumption.
        func pause() -> Int {
            writes.beginAssuming(in: .public)
            writes.recordRead(isLastWriter: false, in: .public)
            var count = 0
            while writes.assumable(in: .public) == nil, count < 1000 {
                writes.store(last, of: .public)
                count += 1
            }
            return count
        }
        writes.store(last, of: .public)
        #expect(writes.assumable(in: .public) != nil)
        #expect((0..<8).map { _ in pause() } == [2, 4, 8, 16, 32, 64, 64, 64])
        // A write of another process that no write has assumed away.
        writes.recordRead(isLastWriter: false, in: .public)
        #expect(writes[.public] == nil && writes.assumable(in: .public) == nil)
        for _ in 0..<2 * LastWrites.longestPause { writes.store(last, of: .public) }
        #expect(pause() == 2)
    }

    @Test("A name that another process has used in between is a conflict")
    func otherProcess() async throws {
        let first = try await process()
        let second = try await Process(configuration)
        for round in 0..<3 {
            for name in ["a", "b", "c"] { try await first.save("\(round) \(name)") }
            try await second.save("\(round) d")
            let error = await #expect(throws: CabinetError.self) { try await first.save("\(round) d") }
            #expect(error?.code == .serverRecordChanged)
        }
        let names = (0..<3).flatMap { round in ["a", "b", "c", "d"].map { "\(round) \($0)" } }
        #expect(try await first.names() == names + start)
        await first.backend.close()
        await second.backend.close()
    }

    @Test(
        "After a crash that has lost a commit, another process's write with the same number is noticed",
        arguments: [false, true])
    func lostCommit(changesRecord: Bool) async throws {
        let first = try await process()
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let schema = "\"\(configuration.schema)\""
        try connection.run("UPDATE \(schema).cabinet_state SET writes = writes - 1 WHERE name LIKE 'private/%'")
        let second = try await Process(configuration)
        try await second.save("a")
        if changesRecord {
            // A write that changes a record reads it, and knows the entries of its last write.
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "start0"))
            record["number"] = 2
            _ = try await first.database.save(record, savePolicy: .changedKeys)
        } else {
            try await first.save("b")
        }
        let counts = try connection.query("SELECT count(*), count(DISTINCT \"___etag\") FROM \(schema).\"Items\"").first
        #expect(counts?.integer(0) == (changesRecord ? 4 : 5) && counts?.integer(1) == counts?.integer(0))
        await first.backend.close()
        await second.backend.close()
    }

    @Test("Zones and rules that another process has made or removed in between count")
    func zonesAndRules() async throws {
        let first = try await process()
        let second = try await Process(configuration)
        let zone = try await second.database.save(RecordZone(zoneName: "Zone"))
        for name in ["a", "b", "c"] { try await first.save(name, in: zone.zoneID) }
        try await second.database.deleteRecordZone(withID: zone.zoneID)
        let lost = await #expect(throws: CabinetError.self) { try await first.save("d", in: zone.zoneID) }
        #expect([.zoneNotFound, .userDeletedZone].contains(lost?.code))

        for name in ["e", "f"] { try await first.save(name) }
        _ = try await second.database.modifyRecords(
            saving: [], deleting: first.names().map { RecordID(recordName: $0) })
        var schema = try await second.database.schema()
        schema["Items"].uniqueKeys = [["number"]]
        try await second.database.apply(schema)
        try await first.save("g")
        let taken = await #expect(throws: CabinetError.self) { try await first.save("h") }
        #expect(taken?.code == .constraintViolation)
        await first.backend.close()
        await second.backend.close()
    }

    @Test("Of several processes that save the same names at once, one succeeds with each")
    func race() async throws {
        let processes = [try await process(), try await Process(configuration), try await Process(configuration)]
        let names = (0..<60).map { "race \($0)" }
        let saved = try await withThrowingTaskGroup { group in
            for (number, process) in processes.enumerated() {
                for half in 0..<2 {
                    group.addTask {
                        var saved: [String] = []
                        for name in number == 1 ? names.reversed() : names where name.utf8.last! % 2 == half {
                            do {
                                try await process.save(name)
                                saved.append(name)
                            } catch CabinetError.Code.serverRecordChanged {}
                        }
                        return saved
                    }
                }
            }
            return try await group.reduce(into: [String]()) { $0 += $1 }
        }
        #expect(saved.sorted() == names.sorted())
        #expect(try await processes[0].names() == (names + start).sorted())
        for process in processes { await process.backend.close() }
    }
}
