import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Sync engines, which rely on tokens, change tags, zones and limits together.
    static let syncEngines: [ConformanceRule] = [
        ConformanceRule(
            .changes, "sync engines keep two devices in step",
            law:
                "A fetch of a sync engine reports each save and deletion of other devices once, and not what it has saved itself.",
            source: .cloudKit("CKSyncEngine")
        ) { world in
            let database = try world.privateDatabase()
            let (phone, tablet) = (SyncDevice(), SyncDevice())
            let (first, second) = (phone.engine(database), tablet.engine(database))
            first.state.add(pendingDatabaseChanges: [.saveZone(RecordZone(zoneID: notes))])
            await phone.save(["a", "b", "c"].map { note($0) }, first)
            try expect(
                "What is sent", try await phone.send(first), equals: ["sent a", "sent b", "sent c", "sent zone Notes"])
            try expect("What returns", try await phone.fetch(first), equals: ["zone +Notes"])
            try expect(
                "What arrives", try await tablet.fetch(second),
                equals: ["+a", "+b", "+c", "all of Notes", "zone +Notes"])

            let changed = try require(await tablet.records[noteID("a")], "The record").with(["text": "changed"])
            await tablet.save([changed], second)
            await tablet.delete([noteID("b")], second)
            try expect("What is sent", try await tablet.send(second), equals: ["removed b", "sent a"])
            try expect("What arrives", try await phone.fetch(first), equals: ["+a", "-b", "zone +Notes"])
            try expect("The text", await phone.records[noteID("a")]?["text"] as? String, equals: "changed")
            try expect("What arrives later", try await phone.fetch(first), equals: [])
            try expect("What is left", Set(await tablet.records.keys), equals: [noteID("a"), noteID("c")])
        },
        ConformanceRule(
            .changes, "a sync engine's conflict has the server's record",
            law:
                "A record that another device has saved fails with serverRecordChanged. The server's record, merged and sent again, is saved.",
            source: .cloudKit("CKSyncEngine")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(RecordZone(zoneID: notes))
            let saved = try await database.save(note("a"))
            let device = SyncDevice()
            let engine = device.engine(database)
            _ = try await device.fetch(engine)
            try await database.save(saved.with(["number": 2]))
            let own = try require(await device.records[noteID("a")], "The record")
            await device.save([own.with(["text": "mine"]), note("new")], engine)
            try expect("What is sent", try await device.send(engine), equals: ["a: serverRecordChanged", "sent new"])
            try expect("What is pending", engine.state.pendingRecordZoneChanges, equals: [])
            let server = try require(await device.failures[noteID("a")]?.conflict?.serverRecord, "The server's record")
            await device.save([server.with(["text": "mine"])], engine)
            try expect("What is sent", try await device.send(engine), equals: ["sent a"])
            let merged = try await database.record(for: noteID("a"))
            try expect("The text", merged["text"] as? String, equals: "mine")
            try expect("The number", merged["number"] as? Int, equals: 2)
        },
        ConformanceRule(
            .changes, "a sync engine begins again after its token expired",
            law:
                "After a token has expired, a sync engine reports every record again, from the beginning, and then what is new.",
            source: .cloudKit("CKError.h, changeTokenExpired")
        ) { world in
            let database = try world.container(changeRetention: ChangeRetention(count: 2)).privateDatabase
            try await database.save(RecordZone(zoneID: notes))
            let names = (0..<6).map { "r\($0)" }
            let first = ["all of Notes", "zone +Notes"]
            try await database.saveAll(names.map { note($0) })
            let device = SyncDevice()
            let engine = device.engine(database)
            try expect("What arrives", try await device.fetch(engine), equals: names.map { "+\($0)" } + first)
            for name in names.prefix(4) { try await database.deleteRecord(withID: noteID(name)) }
            try expect("What arrives again", try await device.fetch(engine), equals: ["+r4", "+r5"] + first)
            try expect("What is left", Set(await device.records.keys), equals: [noteID("r4"), noteID("r5")])
            try await database.deleteRecord(withID: noteID("r4"))
            try await database.save(note("new"))
            try expect("What is new", try await device.fetch(engine), equals: ["+new", "-r4", "zone +Notes"])
        },
        ConformanceRule(
            .changes, "a sync engine reports deleted and recreated zones",
            law:
                "A deleted zone is reported, also if it was recreated before the fetch. The records of a recreated zone arrive from its beginning.",
            source: .cloudKit("CKSyncEngine")
        ) { world in
            let database = try world.privateDatabase()
            let device = SyncDevice()
            let engine = device.engine(database)
            try await database.save(RecordZone(zoneID: notes))
            try await database.save(note("a"))
            try expect("What arrives", try await device.fetch(engine), equals: ["+a", "all of Notes", "zone +Notes"])
            try await database.deleteRecordZone(withID: notes)
            try expect("What is deleted", try await device.fetch(engine), equals: ["zone -Notes"])
            await device.save([note("lost")], engine)
            try expect("What is not sent", try await device.send(engine), equals: ["lost: zoneNotFound"])
            try await database.save(RecordZone(zoneID: notes))
            try await database.save(note("b"))
            try expect("What arrives", try await device.fetch(engine), equals: ["+b", "all of Notes", "zone +Notes"])

            try await database.deleteRecordZone(withID: notes)
            try await database.save(RecordZone(zoneID: notes))
            try await database.save(note("c"))
            let recreated = try await device.fetch(engine)
            try expect("The record", recreated.filter { !$0.hasPrefix("zone") }, equals: ["+c", "all of Notes"])
            try expect("What is left", Set(await device.records.keys), equals: [noteID("c")])
            try expect("Whether the zone is reported", recreated.contains("zone +Notes"), equals: true)
        },
        ConformanceRule(
            .changes, "a sync engine sends more records than a request may have",
            law: "With CloudKit's limits, pending changes are sent in batches, each of which the limits allow.",
            source: .cloudKit("CKError.h, limitExceeded")
        ) { world in
            let database = try world.container(limits: .cloudKit).privateDatabase
            try await database.save(RecordZone(zoneID: notes))
            let limit = SyncEngine.RecordZoneChangeBatch.maximumCount
            let all = (0...limit).map { note("r\($0)") }
            let device = SyncDevice()
            let engine = device.engine(database)
            await device.save(all, engine)
            try expect("The number of sent records", try await device.send(engine).count, equals: limit + 1)
            try expect("The batches", await device.takeBatchSizes(), equals: [limit, 1])
            try expect("What is pending", engine.state.pendingRecordZoneChanges, equals: [])
            try expect("The count", try await database.count(matching: Query(recordType: "Notes")), equals: limit + 1)
        },
        ConformanceRule(
            .changes, "a sync engine starts again for another user",
            law: "The tokens and the pending changes of one user are not used for another one.",
            source: .cloudKit("CKSyncEngine, accountChange")
        ) { world in
            let anna = try world.privateDatabase()
            let ben = try world.container(account: Account(userRecordName: "_ben")).privateDatabase
            for database in [anna, ben] { try await database.save(RecordZone(zoneID: notes)) }
            try await anna.save(note("a"))
            try await ben.save(note("b"))
            let device = SyncDevice()
            let engine = device.engine(anna)
            _ = try await device.fetch(engine)
            await device.save([note("pending")], engine)
            _ = try await device.fetch(engine)
            let other = device.engine(ben, await device.state)
            try expect("The pending changes", other.state.pendingRecordZoneChanges.count, equals: 1)
            try expect(
                "What arrives", try await device.fetch(other),
                equals: ["+b", "account _anna _ben", "all of Notes", "zone +Notes"])
            try expect("What is pending", other.state.pendingRecordZoneChanges, equals: [])
            try expect("What is sent", try await device.send(other), equals: [])
        },
        ConformanceRule(
            .changes, "a sync engine sends again what has failed for a while",
            law:
                "A change stays pending after an error that passes. A save whose response was lost returns as a conflict with itself.",
            source: .cloudKit("CKSyncEngine")
        ) { world in
            let backend = FaultInjectingBackend(world.backend)
            let database = try Container(
                identifier: "com.example.conformance", backend: backend, account: ConformanceWorld.account,
                now: world.clock.now
            ).privateDatabase
            try await database.save(RecordZone(zoneID: notes))
            let device = SyncDevice()
            let engine = device.engine(database)
            _ = try await device.fetch(engine)
            await device.save([note("a")], engine)
            backend.inject(.failure(.zoneBusy), on: .write, times: nil)
            try await expectError(.zoneBusy) { try await device.send(engine) }
            try expect("What is pending", engine.state.pendingRecordZoneChanges, equals: [.saveRecord(noteID("a"))])
            backend.removeAllInjections()
            backend.inject(.connectionLostAfterCommit(), on: .write)
            try await expectError(.serverResponseLost) { try await device.send(engine) }
            try expect("What is pending", engine.state.pendingRecordZoneChanges, equals: [.saveRecord(noteID("a"))])
            try expect("What is sent", try await device.send(engine), equals: ["a: serverRecordChanged"])
            let server = try require(await device.failures[noteID("a")]?.conflict?.serverRecord, "The server's record")
            try expect("The text", server["text"] as? String, equals: "a")
        },
        ConformanceRule(
            .sharing, "an automatic sync engine misses no change while its delegate handles a fetch",
            law:
                "A change that another user makes during the first fetch of an automatic sync engine is fetched by the next one.",
            source: .cloudKit("CKSyncEngine, automaticallySync")
        ) { world in
            let scene = try await world.sharedScene()
            // Services without notifications refuse this, and the engine would wait for their poll.
            _ = try await scene.ben.fetchNotifications(since: nil)
            let delegate = SlowDelegate {
                try await scene.own.save(Record(recordType: "Items", recordID: SharingScene.own("tea")))
            }
            let engine = SyncEngine(
                SyncEngine.Configuration(database: scene.reader, stateSerialization: nil, delegate: delegate))
            let found = await delegate.fetched.first { $0 == "tea" }
            await engine.cancelOperations()
            try expect("The fetched record", found, equals: "tea")
        },
        ConformanceRule(
            .durability, "a sync engine continues after closing the store",
            law: "A stored state of a sync engine continues in the reopened store, with its pending changes.",
            source: .cloudKit("CKSyncEngine"), needsReopening: true
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(RecordZone(zoneID: notes))
            try await database.saveAll(["a", "b"].map { note($0) })
            let device = SyncDevice()
            let engine = device.engine(database)
            _ = try await device.fetch(engine)
            await device.save([note("pending")], engine)
            _ = try await device.fetch(engine)
            let file = try JSONEncoder().encode(await device.state)
            try await database.deleteRecord(withID: noteID("a"))
            try await world.reopened { world in
                let database = try world.privateDatabase()
                let state = try JSONDecoder().decode(SyncEngine.State.Serialization.self, from: file)
                let engine = device.engine(database, state)
                try expect("What arrives", try await device.fetch(engine), equals: ["-a", "zone +Notes"])
                try expect("What is sent", try await device.send(engine), equals: ["sent pending"])
                try expect("What returns", try await device.fetch(engine), equals: ["zone +Notes"])
            }
        },
    ]
}

/// A delegate that lets a change happen while it handles its first fetch of records.
private actor SlowDelegate: SyncEngineDelegate {
    /// The names of the fetched records.
    nonisolated let fetched: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let change: @Sendable () async throws -> Void
    private var hasChanged = false

    init(_ change: @escaping @Sendable () async throws -> Void) {
        self.change = change
        (fetched, continuation) = AsyncStream.makeStream()
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        switch event {
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications { continuation.yield(change.record.recordID.recordName) }
        case .didFetchRecordZoneChanges where !hasChanged:
            hasChanged = true
            try? await change()
        default: break
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? { nil }
}

private let notes = RecordZone.ID(zoneName: "Notes")

private func noteID(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: notes) }

private func note(_ name: String) -> Record {
    var record = Record(recordType: "Notes", recordID: noteID(name))
    record["text"] = name
    return record
}
