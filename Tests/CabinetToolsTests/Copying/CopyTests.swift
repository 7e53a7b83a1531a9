import Cabinet
import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import CabinetTools

@Suite("Copies of stores in memory")
struct CopyTests {
    @Test("A copy verifies clean, has the same digest as the copy of it, and stores its checkpoint as an entry")
    func copies() async throws {
        let source = try await SampleStore.filled()
        let target = try SampleStore()
        let report = try await source.container.copy(to: target.container)
        try await #expect(target.container.verify().findings.map(\.description) == [])
        let found = try #require(report.databases.first { $0.database == SampleStore.anna })
        #expect(found.content.recordCount == 26)
        #expect(found.content.assetCount == 3)
        #expect(found.content.subscriptionCount == 2)

        let checkpoints = try await SampleStore.entries("copy", of: target.backend)
        #expect(checkpoints.map(\.key.text) == ["copy"])
        #expect(checkpoints.allSatisfy { $0.text.hasPrefix("{") && $0.text.contains("\"isReady\":true") })
        for prefix in ["notification/", "latest/"] {
            try await #expect(SampleStore.entries(prefix, of: target.backend) == [])
        }

        let second = try SampleStore()
        let copy = try await target.container.copy(to: second.container)
        #expect(copy.databases.map(\.content.digest) == report.databases.map(\.content.digest))
        try await #expect(second.container.verify(repairing: true).findings.map(\.description) == [])
    }

    @Test("A long pass reads in several snapshots, and copies what was saved between them")
    func snapshots() async throws {
        let source = try await SampleStore.filled()
        let zoneID = RecordZone.ID(zoneName: "Long")
        try await source.database.save(RecordZone(zoneID: zoneID))
        let records = (0..<1300).map { number in
            Record(recordType: "Item", recordID: RecordID(recordName: "r\(number)", zoneID: zoneID))
        }
        _ = try await source.database.modifyRecords(saving: records, deleting: [])
        // After each snapshot, one record is changed, one is deleted, and one is new.
        let reads = Mutex(0)
        let busy = BusySource(source.backend) {
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            guard number <= 3 else { return }
            _ = try await source.database.modifyRecords(
                saving: [
                    records[number],
                    Record(recordType: "Item", recordID: RecordID(recordName: "new\(number)", zoneID: zoneID)),
                ], deleting: [records[100 + number].recordID], savePolicy: .allKeys)
        }
        let target = MemoryBackend()
        var copy = DatabaseCopy(of: SampleStore.anna, from: busy, to: target)
        copy.pagesOfSnapshot = 1
        try await copy.catchUp()
        #expect(reads.withLock(\.self) >= 5)
        let exact = DatabaseCopy(of: SampleStore.anna, from: source.backend, to: target)
        #expect(try await exact.catchUp().changeCount == 0)
        // The comparison finds every difference.
        let report = try await exact.finish()
        #expect(report.content.recordCount == 26 + 1300)
    }

    @Test("Roles, grants and unique values are copied and compared, and are a part of the digest")
    func schemaRules() async throws {
        let source = try await SampleStore.filled()
        let plain = try SampleStore()
        let digest = try await source.container.copy(to: plain.container).databases.map(\.content.digest)
        var schema = try await source.database.schema()
        schema.roles = ["Editor"]
        schema["Lists"]["code"] = .init(.string)
        schema["Lists"].uniqueKeys = [["code"]]
        schema["Lists"].grants = ["Editor": [.read], Schema.creatorRole: [.write]]
        try await source.database.apply(schema)
        let target = try SampleStore()
        let report = try await source.container.copy(to: target.container)
        #expect(try await target.database.schema() == source.database.schema())
        #expect(report.databases.map(\.content.digest) != digest)
        // A copy that was complete before gets them too.
        try await source.container.copy(to: plain.container)
        #expect(try await plain.database.schema() == source.database.schema())

        try await target.backend.write(SampleStore.anna) { transaction in
            try await transaction.apply([.setEntry(StorageKey("schema/type/Lists"), "UNIQUE code")])
        }
        await #expect {
            try await source.backend.read(SampleStore.anna) { source in
                try await target.backend.read(SampleStore.anna) { target in
                    var comparison = StoreComparison(
                        of: source, with: target, in: SampleStore.anna,
                        meter: CopyMeter(database: SampleStore.anna, progress: nil))
                    _ = try await comparison.run()
                }
            }
        } throws: { ($0 as? CabinetError)?.message.contains("roles, grants or unique values") == true }
    }

    @Test("Later changes are copied: records, deletions, zones, assets and subscriptions")
    func catchesUp() async throws {
        let source = try await SampleStore.filled()
        let target = MemoryBackend()
        let copy = DatabaseCopy(of: SampleStore.anna, from: source.backend, to: target)
        try await copy.finish()
        let database = source.database
        var item = try await database.record(for: "item 1")
        item["file"] = nil
        try await database.save(item)
        try await database.deleteRecord(withID: RecordID(recordName: "list", zoneID: SampleStore.zoneID))
        try await database.deleteSubscription(withID: "all")
        try await database.save(RecordZone(zoneName: "New"))
        let counts = try await copy.catchUp()
        #expect(counts.savedRecords == 1)
        #expect(counts.removedRecords == 12)
        #expect(counts.changedZones == 1)
        #expect(counts.changedSubscriptions == 1)
        #expect(counts.assets == 0)
        try await database.deleteRecordZone(withID: SampleStore.zoneID)
        try await database.save(RecordZone(zoneID: SampleStore.zoneID))
        let report = try await copy.finish()
        #expect(report.content.assetCount == 2)
        let container = try SampleStore.container(over: target)
        try await #expect(container.verify().findings.map(\.description) == [])
        try await #expect(container.privateDatabase.record(for: "item 1")["file"] == nil)
        try await container.privateDatabase.save(item.with(number: 77), savePolicy: .changedKeys)
        try await #expect(container.verify().findings.map(\.description) == [])
    }

    @Test("An unfinished copy is not called damaged, and a repair leaves it so that it can be resumed")
    func unfinished() async throws {
        let source = try await SampleStore.filled()
        let target = try SampleStore()
        let copy = DatabaseCopy(of: SampleStore.anna, from: source.backend, to: target.backend)
        try await copy.catchUp()
        let before = try await SampleStore.entries("", of: target.backend)
        for repairing in [false, true] {
            let report = try await target.container.verify(repairing: repairing)
            #expect(!report.isDamaged && !report.isClean, "\(report)")
            #expect(report.refusals[SampleStore.anna]?.contains("The copy into this database is not finished") == true)
        }
        try await #expect(SampleStore.entries("", of: target.backend) == before)
        try await copy.finish()
        #expect(try await target.container.verify().isClean)

        // A copy that was written to cannot be resumed, so it is verified like any other database.
        let other = try SampleStore()
        try await DatabaseCopy(of: SampleStore.anna, from: source.backend, to: other.backend).catchUp()
        try await other.database.save(Record(recordType: "Items", recordID: "own"))
        #expect(try await other.container.verify().refusals.isEmpty)
    }

    @Test("Deletions that the source has forgotten are found by comparing the records")
    func forgottenDeletions() async throws {
        let source = try await SampleStore.filled()
        let target = MemoryBackend()
        let copy = DatabaseCopy(of: SampleStore.anna, from: source.backend, to: target)
        try await copy.finish()
        let forgetful = try Container(
            identifier: "com.example.tools", backend: source.backend,
            account: Account(userRecordName: "_anna"), changeRetention: ChangeRetention(age: 0, count: 0))
        _ = try await forgetful.privateDatabase.modifyRecords(saving: [], deleting: ["item 4", "item 5"])
        let report = try await copy.finish()
        #expect(report.copied.removedRecords == 2)
        try await #expect(SampleStore.container(over: target).verify().findings.map(\.description) == [])
    }

    @Test("A target that was written to is refused, and stays unchanged")
    func refusesOthers() async throws {
        let source = try await SampleStore.filled()
        let target = try SampleStore()
        try await source.container.copy(to: target.container)
        try await target.database.save(Record(recordType: "Items", recordID: "own"))
        let before = try await SampleStore.entries("", of: target.backend)
        let error = await #expect(throws: CabinetError.self) {
            try await source.container.copy(to: target.container)
        }
        #expect(error?.code == .invalidArguments)
        try await #expect(SampleStore.entries("", of: target.backend) == before)
    }

    @Test("A checkpoint of another version is refused")
    func refusesVersions() async throws {
        let source = try await SampleStore.filled()
        let target = try SampleStore()
        try await source.container.copy(to: target.container)
        for text in ["", "{}", "{\"version\":1}"] {
            try await target.overwrite(["copy": text])
            let error = await #expect(throws: CabinetError.self) {
                try await source.container.copy(to: target.container)
            }
            #expect(error?.code == .incompatibleVersion)
        }
    }
}

/// A source that changes after each read.
private final class BusySource: WrappingBackend {
    let base: any StorageBackend
    private let change: @Sendable () async throws -> Void

    init(_ base: any StorageBackend, _ change: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.change = change
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await base.read(database, body)
            try await change()
            return result
        } catch {
            try await change()
            throw error
        }
    }

    func close() async {}
}
