import BackendTestSupport
import Cabinet
import CabinetSQLite
import Foundation
import Testing

/// The code of the article "Sync engines", on every backend.
@Suite("Sync engines")
struct SyncedNotesTests {
    private func run(
        on kind: BackendKind, _ body: (any StorageBackend) async throws -> Void
    ) async throws {
        switch kind {
        case .memory: try await body(MemoryBackend())
        case .sqlite: try await TestDirectory.with { try await body(SQLiteBackend(directory: $0)) }
        case .postgres: try await body(BackendKind.onServer())
        }
    }

    private func code(_ body: () async throws -> Void) async -> CabinetError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? CabinetError)?.code
        }
    }

    @Test("two devices end with the same notes, through conflicts and deletions", arguments: BackendKind.allCases)
    func devices(on kind: BackendKind) async throws {
        try await run(on: kind) { backend in
            let database = try Container(identifier: "com.example.notes", backend: backend).privateDatabase
            let (phone, tablet) = (SyncedNotes(), SyncedNotes())
            let phoneEngine = await phone.engine(database, automatically: false)
            let tabletEngine = await tablet.engine(database, automatically: false)
            await phone.edit("a", "one", phoneEngine)
            await phone.edit("b", "two", phoneEngine)
            // The zone does not exist. The delegate adds it, and both records again.
            #expect(await code { try await phoneEngine.sendChanges() } == .partialFailure)
            try await phoneEngine.sendChanges()
            try await tabletEngine.fetchChanges()
            #expect(await tablet.texts == ["a": "one", "b": "two"])

            await tablet.edit("a", "three", tabletEngine)
            await tablet.edit("b", nil, tabletEngine)
            try await tabletEngine.sendChanges()
            await phone.edit("a", "four", phoneEngine)
            #expect(await code { try await phoneEngine.sendChanges() } == .partialFailure)
            try await phoneEngine.sendChanges()
            try await phoneEngine.fetchChanges()
            try await tabletEngine.fetchChanges()
            #expect(await phone.texts == ["a": "four"])
            #expect(await tablet.texts == ["a": "four"])
        }
    }

    @Test("the stored content continues after a restart", arguments: BackendKind.allCases)
    func restart(on kind: BackendKind) async throws {
        try await run(on: kind) { backend in
            let database = try Container(identifier: "com.example.notes", backend: backend).privateDatabase
            try await database.save(SyncedNotes.zone)
            let phone = SyncedNotes()
            let engine = await phone.engine(database, automatically: false)
            await phone.edit("a", "one", engine)
            try await engine.sendChanges()
            await phone.edit("b", "two", engine)
            try await engine.fetchChanges()

            let file = try JSONEncoder().encode(await phone.content)
            let restarted = SyncedNotes(try JSONDecoder().decode(SyncedNotes.Content.self, from: file))
            let second = await restarted.engine(database, automatically: false)
            #expect(second.state.pendingRecordZoneChanges.map(\.recordID.recordName) == ["b"])
            try await second.sendChanges()
            #expect(second.state.pendingRecordZoneChanges.isEmpty)
            #expect(try await database.records(matching: Query(recordType: "Notes")).matchResults.count == 2)
        }
    }

    @Test("an edit is kept when a fetch or the deletion of the zone comes first, and dropped with a purged zone")
    func events() async throws {
        let database = try Container(identifier: "com.example.notes", backend: MemoryBackend()).privateDatabase
        let phone = SyncedNotes()
        let engine = await phone.engine(database, automatically: false)
        let zoneID = SyncedNotes.zone.zoneID
        var other = Record(recordType: "Notes", recordID: RecordID(recordName: "a", zoneID: zoneID))
        other["text"] = "other"
        await phone.edit("a", "own", engine)
        await phone.handleEvent(
            .fetchedRecordZoneChanges(.init(zoneID: zoneID, modifications: [.init(record: other)])), syncEngine: engine)
        #expect(await phone.texts == ["a": "own"])
        await phone.handleEvent(
            .fetchedDatabaseChanges(.init(deletions: [.init(zoneID: zoneID)])), syncEngine: engine)
        #expect(await phone.texts == ["a": "own"])
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(other.recordID)])
        await phone.handleEvent(
            .fetchedDatabaseChanges(.init(deletions: [.init(zoneID: zoneID, reason: .purged)])), syncEngine: engine)
        #expect(await phone.texts == [:])
        #expect(engine.state.pendingRecordZoneChanges == [])
    }

    @Test("a note that is deleted while its conflict is reported is deleted")
    func deletionDuringConflict() async throws {
        let database = try Container(identifier: "com.example.notes", backend: MemoryBackend()).privateDatabase
        let phone = SyncedNotes()
        let engine = await phone.engine(database, automatically: false)
        let record = Record(
            recordType: "Notes", recordID: RecordID(recordName: "a", zoneID: SyncedNotes.zone.zoneID))
        await phone.edit("a", "own", engine)
        await phone.edit("a", nil, engine)
        let failure = CabinetError(.unknownItem, "The record was deleted.")
        await phone.handleEvent(
            .sentRecordZoneChanges(.init(failedRecordSaves: [.init(record: record, error: failure)])),
            syncEngine: engine)
        #expect(engine.state.pendingRecordZoneChanges == [.deleteRecord(record.recordID)])
    }

    @Test("a device follows a store that was replaced by an older copy")
    func restoredStore() async throws {
        try await TestDirectory.with { directory in
            let (store, copy) = (directory.appending(path: "store"), directory.appending(path: "copy"))
            let backend = SQLiteBackend(directory: store)
            let database = try Container(identifier: "com.example.notes", backend: backend).privateDatabase
            try await database.save(SyncedNotes.zone)
            let phone = SyncedNotes()
            let engine = await phone.engine(database, automatically: false)
            await phone.edit("a", "one", engine)
            try await engine.sendChanges()
            _ = try await backend.backUp(to: copy)
            await phone.edit("lost", "two", engine)
            try await engine.sendChanges()
            try await engine.fetchChanges()
            #expect(await phone.texts == ["a": "one", "lost": "two"])
            await backend.close()

            let older = SQLiteBackend(directory: copy)
            let restored = try Container(identifier: "com.example.notes", backend: older).privateDatabase
            let again = await phone.engine(restored, automatically: false)
            await phone.edit("new", "three", again)
            try await again.fetchChanges()
            #expect(await phone.texts == ["a": "one", "new": "three"])
            try await again.sendChanges()
            #expect(try await restored.records(matching: Query(recordType: "Notes")).matchResults.count == 2)
            await older.close()
        }
    }

    @Test(
        "automatic engines send and fetch by themselves", .timeLimit(.minutes(15)), arguments: BackendKind.allCases)
    func automatic(on kind: BackendKind) async throws {
        try await run(on: kind) { backend in
            let databases = try (0..<2).map { _ in
                try Container(identifier: "com.example.notes", backend: backend).privateDatabase
            }
            try await databases[0].save(SyncedNotes.zone)
            let (phone, tablet) = (SyncedNotes(), SyncedNotes())
            let phoneEngine = await phone.engine(databases[0], automatically: true)
            let tabletEngine = await tablet.engine(databases[1], automatically: true)
            await phone.edit("a", "one", phoneEngine)
            while await tablet.texts != ["a": "one"] { try await Task.sleep(for: .milliseconds(5)) }
            await tablet.edit("a", "two", tabletEngine)
            while await phone.texts != ["a": "two"] { try await Task.sleep(for: .milliseconds(5)) }
            await phoneEngine.cancelOperations()
            await tabletEngine.cancelOperations()
        }
    }
}
