import CSQLite
import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The tokens and tags of a lost future, after an older copy of a file was restored.
@Suite(.timeLimit(.minutes(15))) struct RestoreTests {
    /// The way in which a file is restored.
    enum Way: CaseIterable, Sendable {
        case overwritten, replaced, movedAway
    }

    private func database(_ store: Store) throws -> Database {
        try Container(identifier: "org.cabinet.restore", backend: store.backend).publicDatabase
    }

    private func putBack(_ copy: URL, in store: Store, _ way: Way) throws {
        let file = URL(fileURLWithPath: store.path)
        switch way {
        case .overwritten:
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(contentsOf: copy))
            try handle.close()
        case .replaced:
            try FileManager.default.removeItem(at: file)
            try FileManager.default.copyItem(at: copy, to: file)
        case .movedAway:
            try FileManager.default.moveItem(at: file, to: file.appendingPathExtension("lost"))
            try FileManager.default.moveItem(at: copy, to: file)
        }
    }

    private func item(_ name: String, _ number: Int) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: name))
        record["number"] = number
        return record
    }

    /// The values that a client stores.
    private struct Kept {
        var zoneTokens: [ServerChangeToken]
        var databaseToken: ServerChangeToken
        var notificationToken: NotificationToken
        var milk: Record
    }

    /// Saves the records of one life of the store, and returns the client's values.
    private func live(_ store: Store, saves count: Int, life: String) async throws -> Kept {
        let container = try Container(identifier: "org.cabinet.restore", backend: store.backend)
        let database = container.publicDatabase
        var milk = try await database.record(for: RecordID(recordName: "milk"))
        for number in 0..<count { try await database.save(item("\(life)-\(number)", number)) }
        milk["number"] = count
        milk = try await database.save(milk)
        // The first of several pages is a position in the changes too.
        let page = try await database.recordZoneChanges(inZoneWith: .default, since: nil, resultsLimit: 1)
        let all = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        let saved = try await database.modifyRecords(saving: [], deleting: [], inZoneWith: .default)
        return Kept(
            zoneTokens: [page.changeToken, all.changeToken, saved.changeToken],
            databaseToken: try await database.databaseChanges(since: nil).changeToken,
            notificationToken: try await container.fetchNotifications(since: nil).token, milk: milk)
    }

    private func expectExpired(_ kept: Kept, in store: Store, _ comment: Comment) async throws {
        let container = try Container(identifier: "org.cabinet.restore", backend: store.backend)
        let database = container.publicDatabase
        func expect(_ body: () async throws -> Void) async {
            let error = await #expect(throws: CabinetError.self, comment) { try await body() }
            #expect(error?.code == .changeTokenExpired, comment)
        }
        for token in kept.zoneTokens {
            let token = try JSONDecoder().decode([ServerChangeToken].self, from: JSONEncoder().encode([token]))[0]
            await expect { _ = try await database.recordZoneChanges(inZoneWith: .default, since: token) }
        }
        await expect { _ = try await database.databaseChanges(since: kept.databaseToken) }
        await expect { _ = try await container.fetchNotifications(since: kept.notificationToken) }
    }

    @Test(arguments: Way.allCases, [0, 1, 5])
    func tokensAndTagsOfTheLostFutureAreRefused(way: Way, lost: Int) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        let first = Store(in: directory)
        try await database(first).save(item("milk", 0))
        let known = try await live(first, saves: 3, life: "first")
        await first.backend.close()
        let copy = directory.appendingPathComponent("copy")
        try FileManager.default.copyItem(atPath: first.path, toPath: copy.path)

        let second = Store(in: directory)
        let kept = try await live(second, saves: lost, life: "lost")
        await second.backend.close()
        try putBack(copy, in: second, way)

        let third = Store(in: directory)
        try await expectExpired(kept, in: third, "before the first write")
        // State from before the copy is still known.
        let page = try await database(third).recordZoneChanges(inZoneWith: .default, since: known.zoneTokens[1])
        #expect(page.modificationResultsByID.isEmpty && page.deletions.isEmpty)
        // At least as many numbers as were lost are assigned.
        for saves in [lost, 0, 4] {
            _ = try await live(third, saves: saves, life: "new-\(saves)")
            try await expectExpired(kept, in: third, "after \(saves) saves")
        }
        let error = await #expect(throws: CabinetError.self) {
            try await database(third).save(kept.milk)
        }
        #expect(error?.code == .serverRecordChanged)
        #expect(error?.conflict?.serverRecord["number"] == 4)
        let changes = try await database(third).recordZoneChanges(inZoneWith: .default, since: known.zoneTokens[1])
        #expect(changes.modificationResultsByID.count == lost + 4 + 1)
        await third.backend.close()
    }

    /// The number of the record equals that of the lost version, which a bare number could not distinguish.
    @Test func aTagOfALostVersionIsRefusedWhenTheNumbersMeet() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        let first = Store(in: directory)
        var milk = try await database(first).save(item("milk", 1))
        await first.backend.close()
        let copy = directory.appendingPathComponent("copy")
        try FileManager.default.copyItem(atPath: first.path, toPath: copy.path)
        func number(_ store: Store) async throws -> Int64? {
            try await store.record(RecordID(recordName: "milk"))?.sequenceNumber
        }
        let second = Store(in: directory)
        milk["number"] = 2
        let lost = try await database(second).save(milk)
        let lostNumber = try await number(second)
        await second.backend.close()
        try putBack(copy, in: second, .replaced)
        let third = Store(in: directory)
        milk["number"] = 3
        try await database(third).save(milk)
        #expect(try await number(third) == lostNumber)
        let error = await #expect(throws: CabinetError.self) { try await database(third).save(lost) }
        #expect(error?.code == .serverRecordChanged)
        #expect(try await database(third).record(for: milk.recordID)["number"] == 3)
        await third.backend.close()
    }

    @Test func backupsWithTheShellWhileTheStoreIsUsedAreRecognised() async throws {
        let store = Store()
        try await database(store).save(item("milk", 0))
        let known = try await live(store, saves: 2, life: "first")
        let copy = store.directory.appendingPathComponent("copy")
        try store.sql("VACUUM INTO '\(copy.path)'")
        let kept = try await live(store, saves: 2, life: "lost")
        let other = Store()
        try FileManager.default.createDirectory(at: other.directory, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: copy.path, toPath: other.path)
        _ = try await live(other, saves: 4, life: "new")
        try await expectExpired(kept, in: other, "in the copy")
        let changes = try await database(other).recordZoneChanges(inZoneWith: .default, since: known.zoneTokens[1])
        #expect(changes.modificationResultsByID.count == 5)
    }

    // MARK: - When a timeline begins

    private func timelines(_ store: Store) throws -> [[String?]] {
        try store.sql("SELECT key, value FROM cabinet_entry WHERE key GLOB 'timeline/*' ORDER BY key")
    }

    @Test func eachOpeningThatWritesBeginsOneTimeline() async throws {
        let first = Store()
        for number in 0..<5 { try await database(first).save(item("a\(number)", number)) }
        #expect(try timelines(first).count == 1)
        await first.backend.close()
        let second = Store(in: first.directory)
        _ = try await database(second).recordZoneChanges(inZoneWith: .default, since: nil)
        #expect(try timelines(first).count == 1)
        await #expect(throws: CabinetError.self) { try await database(second).save(item("a0", 1)) }
        #expect(try timelines(first).count == 1)
        for number in 0..<5 { try await database(second).save(item("b\(number)", number)) }
        #expect(try timelines(first).count == 2)
        await second.backend.close()
    }

    @Test func processesThatAlternateBeginOneTimelineEach() async throws {
        let first = Store()
        let second = Store(in: first.directory)
        let databases = try [database(first), database(second)]
        var tokens: [ServerChangeToken] = []
        for number in 0..<20 {
            try await databases[number % 2].save(item("r\(number)", number))
            let page = try await databases[(number + 1) % 2].recordZoneChanges(inZoneWith: .default, since: nil)
            tokens.append(page.changeToken)
        }
        #expect(try timelines(first).count == 2)
        for (number, token) in tokens.enumerated() {
            let page = try await databases[0].recordZoneChanges(inZoneWith: .default, since: token)
            #expect(page.modificationResultsByID.count == 19 - number)
        }
        await second.backend.close()
        await first.backend.close()
    }

    /// An older copy is written into an open file, as the shell's `.restore` does.
    @Test(arguments: [0, 3]) func aProcessThatSeesTheFileGoBackBeginsATimeline(saves: Int) async throws {
        let store = Store()
        let database = try database(store)
        for number in 0..<5 { try await database.save(item("a\(number)", number)) }
        let known = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        let copy = store.directory.appendingPathComponent("copy")
        try store.sql("VACUUM INTO '\(copy.path)'")
        for number in 0..<3 { try await database.save(item("lost\(number)", number)) }
        let lost = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        try store.restore(copy)
        for number in 0..<saves { try await database.save(item("new\(number)", number)) }
        await #expect { _ = try await database.recordZoneChanges(inZoneWith: .default, since: lost) } throws: {
            CabinetError.Code.changeTokenExpired ~= $0
        }
        let page = try await database.recordZoneChanges(inZoneWith: .default, since: known)
        #expect(page.modificationResultsByID.count == saves)
        #expect(try timelines(store).count == (saves == 0 ? 1 : 2))
        await store.backend.close()
    }

    @Test func theOriginChangesWithTheOpeningAndNotWithOtherWriters() async throws {
        @Sendable func origin(_ store: Store) async throws -> String? {
            try await store.backend.write(.public) { try await $0.load(StorageKeys()).origin }
        }
        let first = Store()
        try await first.insert([StoredRecord("a")])
        let known = try #require(try await origin(first))
        let second = Store(in: first.directory)
        #expect(try await origin(second) != known)
        // A change of the first is superseded, a record of it is updated, and another one is deleted.
        let inserted = try await first.insert([StoredRecord("b"), StoredRecord("c")])
        try await second.backend.write(.public) { transaction in
            var record = inserted[1]
            record.sequenceNumber = try await transaction.reserveSequenceNumbers(1)
            try await transaction.update([record])
        }
        #expect(try await origin(first) == known)
        try await second.backend.write(.public) { transaction in
            let number = try await transaction.reserveSequenceNumbers(3)
            try await transaction.remove(
                ["a", "b", "c"].map { RecordID(recordName: $0) }, firstSequenceNumber: number, date: Date())
        }
        #expect(try await origin(first) == known)
        #expect(try await first.backend.read(.public) { try await $0.load(StorageKeys()).origin } == nil)
        await first.backend.close()
        let third = Store(in: first.directory)
        #expect(try await origin(third) != known)
        await third.backend.close()
        await second.backend.close()
    }

    @Test func theEntriesOfAFailedWriteAreRolledBackSeparately() async throws {
        let store = Store()
        try await store.create()
        struct Failure: Error {}
        let gate = HeldGate()
        async let holding: Void = store.backend.write(.public) { _ in await gate.wait() }
        await gate.whenReached()
        // Both are committed together, and the one that fails is rolled back separately.
        async let failing: Void = store.backend.write(.public) { transaction in
            try await transaction.apply([.setEntry(StorageKey("a"), "lost"), .setEntry(StorageKey("b"), "lost")])
            #expect(try await transaction.entries(in: StorageKey("a")..<StorageKey("c"), limit: 9).count == 2)
            throw Failure()
        }
        async let succeeding: Void = store.backend.write(.public) { transaction in
            #expect(try await transaction.entry("a") == nil)
            try await transaction.apply([.setEntry(StorageKey("b"), "kept")])
        }
        while store.backend.files.openFile(.public)?.waitingWrites != 2 { await Task.yield() }
        gate.open()
        try await holding
        try await succeeding
        do {
            try await failing
            Issue.record("The write succeeded.")
        } catch is Failure {}
        #expect(try store.sql("SELECT key, value FROM cabinet_entry WHERE key < 'c'") == [["b", "kept"]])
        await store.backend.close()
    }

    @Test func theOldestTimelinesExpire() async throws {
        let store = Store()
        let database = try database(store)
        try await database.save(item("a", 0))
        let oldest = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        await store.backend.close()
        // The maximum number of remembered timelines, one for each of the next numbers.
        let limit = 100_000
        try store.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(limit + 9)) \
            INSERT INTO cabinet_entry SELECT 'timeline/' || (\(Int64.max) - i), i FROM n
            """)
        try store.sql(
            "UPDATE cabinet_entry SET value = '\(limit + 9) \(limit + 9) \(limit + 9) \(limit) x' WHERE key = 'database'"
        )
        let other = Store(in: store.directory)
        let reopened = try self.database(other)
        let latest = try await reopened.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        _ = try await reopened.recordZoneChanges(inZoneWith: .default, since: oldest)
        try await reopened.save(item("b", 0))
        await #expect { _ = try await reopened.recordZoneChanges(inZoneWith: .default, since: oldest) } throws: {
            CabinetError.Code.changeTokenExpired ~= $0
        }
        let page = try await reopened.recordZoneChanges(inZoneWith: .default, since: latest)
        #expect(page.modificationResultsByID.count == 1)
        #expect(try timelines(other).count <= limit + 2)
        await other.backend.close()
    }
}

extension Store {
    /// Writes a copy of the public database's file into the file, which may be open.
    fileprivate func restore(_ copy: URL) throws {
        let source = try DatabaseHandle(path: copy.path, creates: false)
        let target = try DatabaseHandle(path: path, creates: false)
        try target.execute("PRAGMA busy_timeout = 10000")
        let backup = try #require(sqlite3_backup_init(target.pointer, "main", source.pointer, "main"))
        #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
        #expect(sqlite3_backup_finish(backup) == SQLITE_OK)
    }
}
