import Cabinet
import CabinetTools
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Copies of a store that is in use, and their restoration.
@Suite(.timeLimit(.minutes(15))) struct BackupTests {
    private let store = Store()

    private func container(_ backend: SQLiteBackend) throws -> Container {
        try Container(identifier: "org.cabinet.backup", backend: backend)
    }

    private func item(_ name: String, _ number: Int) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: name))
        record["number"] = number
        return record
    }

    private func target(_ name: String = "backup") -> URL {
        let name = "\(store.directory.lastPathComponent)-\(name)"
        return store.directory.deletingLastPathComponent().appendingPathComponent(name)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("Copies of a store that writers use have whole batches with their assets, and no damage")
    func consistency() async throws {
        let database = try container(store.backend).publicDatabase
        let batchSize = 10
        let writer = Task {
            for batch in 0... {
                if Task.isCancelled { return batch }
                let records = (0..<batchSize).map { index in
                    var record = item("r\(batch)-\(index)", batch)
                    record["file"] = Asset(data: Data("batch \(batch)".utf8))
                    return record
                }
                // The batch before is deleted, so that its asset is removed while it may be copied.
                let old = (0..<batchSize).map { RecordID(recordName: "r\(batch - 1)-\($0)") }
                do {
                    _ = try await database.modifyRecords(saving: records, deleting: batch % 3 == 2 ? old : [])
                } catch CabinetError.Code.operationCancelled {
                    return batch
                }
            }
            return 0
        }
        for round in 0..<5 {
            let target = target("\(round)")
            defer { try? FileManager.default.removeItem(at: target) }
            while try await !store.backend.databases().contains(.public) { await Task.yield() }
            #expect(try await store.backend.backUp(to: target) == [.public])
            let copy = Store(in: target)
            let copied = try container(copy.backend)
            let records = try await copied.publicDatabase.allRecords(matching: Query(recordType: "Items"))
            let sizes = Dictionary(grouping: records) { $0["number"] as? Int }.mapValues(\.count)
            #expect(sizes.values.allSatisfy { $0 == batchSize }, "\(sizes)")
            for record in records.suffix(batchSize) {
                let asset: Asset = try #require(record["file"])
                let number: Int = try #require(record["number"])
                #expect(try await asset.data() == Data("batch \(number)".utf8))
            }
            #expect(try await copied.verify().findings.map(\.description) == [])
            await copy.backend.close()
        }
        writer.cancel()
        #expect(try await writer.value > 0)
        await store.backend.close()
    }

    @Test("After a restoration, tokens and tags of earlier changes are valid, and those of lost changes have expired")
    func restoration() async throws {
        let target = target()
        defer { try? FileManager.default.removeItem(at: target) }
        let database = try container(store.backend).publicDatabase
        let milk = try await database.save(item("milk", 1))
        let early = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        try await store.backend.backUp(to: target)
        var changed = milk
        changed["number"] = 2
        let lost = try await database.save(changed)
        let late = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        await store.backend.close()
        // A restoration copies the backup in the same way.
        try FileManager.default.removeItem(at: store.directory)
        let backup = SQLiteBackend(directory: target)
        try await backup.backUp(to: store.directory)
        await backup.close()

        let restored = SQLiteBackend(directory: store.directory)
        let again = try container(restored).publicDatabase
        func expectExpired() async {
            await #expect {
                _ = try await again.recordZoneChanges(inZoneWith: .default, since: late)
            } throws: { CabinetError.Code.changeTokenExpired ~= $0 }
            await #expect {
                try await again.save(lost)
            } throws: { CabinetError.Code.serverRecordChanged ~= $0 }
        }
        #expect(try await again.record(for: milk.recordID)["number"] == 1)
        await expectExpired()
        #expect(try await again.recordZoneChanges(inZoneWith: .default, since: early).modificationResultsByID.isEmpty)
        // Also when the restored store has assigned as many numbers as were lost.
        var other = milk
        other["number"] = 3
        try await again.save(other)
        await expectExpired()
        #expect(try await again.record(for: milk.recordID)["number"] == 3)
        await restored.close()
    }

    @Test("A copy that fails leaves nothing, and the next one removes what a killed process has left")
    func failure() async throws {
        let (target, partial) = (target(), target().path + ".partial")
        defer { try? FileManager.default.removeItem(at: target) }
        let database = try container(store.backend).publicDatabase
        var milk = item("milk", 1)
        milk["file"] = Asset(data: Data(repeating: 7, count: 100_000))
        try await database.save(milk)

        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.backend.backUp(to: target)
        }
        await #expect { try await cancelled.value } throws: { CabinetError.Code.operationCancelled ~= $0 }
        #expect(!exists(target.path) && !exists(partial))
        await #expect {
            try await store.backend.backUp(to: target.appendingPathComponent("nowhere/backup"))
        } throws: { $0 is CabinetError }

        // Another program's folder stays.
        try FileManager.default.createDirectory(atPath: partial + "/assets", withIntermediateDirectories: true)
        try Data("half a file".utf8).write(to: URL(fileURLWithPath: partial + "/private-_anna.sqlite"))
        await #expect(throws: CabinetError(.invalidArguments)) { try await store.backend.backUp(to: target) }
        #expect(exists(partial + "/private-_anna.sqlite") && !exists(target.path))
        try FileManager.default.removeItem(atPath: partial)
        do {
            // That of another copy stays, until its process has ended.
            let other = try PartialFolder(path: partial, FileAccess.owner)
            try Data("half a file".utf8).write(to: URL(fileURLWithPath: partial + "/private-_anna.sqlite"))
            await #expect(throws: CabinetError(.zoneBusy)) { try await store.backend.backUp(to: target) }
            withExtendedLifetime(other) {}
        }
        #expect(try await store.backend.backUp(to: target) == [.public])
        #expect(!exists(partial) && !exists(target.path + "/private-_anna.sqlite"))
        await #expect { try await store.backend.backUp(to: target) } throws: {
            CabinetError.Code.invalidArguments ~= $0
        }
        #expect(try await database.record(for: milk.recordID)["number"] == 1)
        await store.backend.close()
    }

    @Test(
        "On a full disk, a copy or compaction fails, and the store keeps everything", arguments: ["backup", "compact"])
    func fullDisk(step: String) async throws {
        let database = try container(store.backend).publicDatabase
        let records = (0..<200).map { number in
            var record = item("r\(number)", number)
            record["text"] = String(repeating: "\(number) ", count: 1000)
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        await store.backend.close()
        let target = target()
        defer { try? FileManager.default.removeItem(at: target) }
        // A process in which no file can grow beyond a limit, as on a full disk.
        let outcome = try SavingProcess([store.directory.path, step, target.path]).finish()
        #expect(outcome.status == 1 && outcome.errors.contains("quotaExceeded"), "\(outcome)")
        #expect(!exists(target.path) && !exists(target.path + ".partial"))
        let reopened = SQLiteBackend(directory: store.directory)
        let found = try container(reopened)
        #expect(try await found.publicDatabase.count(matching: Query(recordType: "Items")) == 200)
        #expect(try await found.verify().findings.map(\.description) == [])
        await reopened.close()
    }

    @Test("On a full disk, a closed store can be read")
    func readingOnAFullDisk() async throws {
        let database = try container(store.backend).publicDatabase
        _ = try await database.modifyRecords(saving: (0..<200).map { item("r\($0)", $0) }, deleting: [])
        await store.backend.close()
        let outcome = try SavingProcess([store.directory.path, "count", target().path]).finish()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(String(decoding: outcome.output, as: UTF8.self) == "200")
    }

    @Test("A process that is killed during a copy leaves no directory under its name, and the store unchanged")
    func killed() async throws {
        let database = try container(store.backend).publicDatabase
        for number in 0..<20 {
            var record = item("r\(number)", number)
            record["file"] = Asset(data: Data(repeating: UInt8(number), count: 1 << 20))
            try await database.save(record)
        }
        await store.backend.close()
        let target = target()
        defer {
            try? FileManager.default.removeItem(at: target)
            try? FileManager.default.removeItem(atPath: target.path + ".partial")
        }
        let process = try SavingProcess([store.directory.path, "backups", target.path])
        while !exists(target.path + ".partial") { await Task.yield() }
        process.kill()
        _ = process.finish()
        #expect(!exists(target.path) || exists(target.path + "/public.sqlite"))
        try? FileManager.default.removeItem(at: target)
        let reopened = SQLiteBackend(directory: store.directory)
        #expect(try await reopened.backUp(to: target) == [.public])
        #expect(!exists(target.path + ".partial"))
        #expect(try await container(reopened).verify().findings.map(\.description) == [])
        await reopened.close()
    }

    @Test("Compaction shrinks the file while readers go on, and keeps records, tags and tokens")
    func compaction() async throws {
        let database = try container(store.backend).publicDatabase
        let records = (0..<300).map { number in
            var record = item("r\(number)", number)
            record["text"] = String(repeating: "\(number) ", count: 1000)
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        _ = try await database.modifyRecords(saving: [], deleting: records.dropFirst().map(\.recordID))
        let id = records[0].recordID
        var kept = try await database.record(for: id)
        let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        var configuration = SQLiteConfiguration()
        configuration.busyTimeout = .seconds(1)
        let impatient = SQLiteBackend(directory: store.directory, configuration: configuration)
        let sizes = try await store.backend.read(.public) { snapshot in
            // A snapshot that is open all the time: the write-ahead log keeps its size, after the time that a compaction waits.
            let before = try await snapshot.records(for: [id], keys: nil)
            let sizes = try await impatient.compact(.public)
            #expect(try await snapshot.records(for: [id], keys: nil) == before)
            return sizes
        }
        await impatient.close()
        #expect(sizes.before > 500_000)
        let after = try await store.backend.compact(.public).after
        #expect(after < sizes.before / 4)
        #expect(
            try await database.recordZoneChanges(inZoneWith: .default, since: token).modificationResultsByID.isEmpty)
        kept["number"] = 7
        try await database.save(kept)
        #expect(try await store.backend.compact(.private(owner: "_nobody")) == (0, 0))
        #expect(try await container(store.backend).verify().findings.map(\.description) == [])
        await store.backend.close()
    }
}
