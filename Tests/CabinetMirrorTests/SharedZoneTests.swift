import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// Zones of another user in a mirror.
@Suite("Shared zones in a mirror")
struct SharedZoneTests {
    private static let owned = RecordZone.ID(zoneName: "Notes")
    private static let shared = RecordZone.ID(zoneName: "Notes", ownerName: "_owner")

    private static func id(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: shared) }

    /// Creates a zone of `_owner` with a note, and invites `_ann`.
    private func invite(
        in scene: MirrorScene, permission: Share.ParticipantPermission = .readWrite
    ) async throws -> (owner: Database, url: URL) {
        let owner = try scene.container(of: "_owner").privateDatabase
        try await owner.save(RecordZone(zoneID: Self.owned))
        try await owner.save(MirrorScene.note("a", "1", in: Self.owned))
        let share = try await change(of: owner, creates: true) { share in
            share.addParticipant(Share.Participant(userRecordName: "_ann", permission: permission))
        }
        return (owner, try #require(share.url))
    }

    @discardableResult
    private func change(
        of owner: Database, creates: Bool = false, _ body: (inout Share) -> Void
    ) async throws -> Share {
        var share = creates ? Share(recordZoneID: Self.owned) : try await owner.share(forZoneWith: Self.owned)
        body(&share)
        return try await owner.save(share)
    }

    private func remove(from owner: Database) async throws {
        try await change(of: owner) { share in
            for participant in share.participants where participant.userRecordName == "_ann" {
                share.removeParticipant(participant)
            }
        }
    }

    private func accept(_ url: URL, in container: Container) async throws {
        _ = try await container.accept(try await container.shareMetadata(for: url))
    }

    private func device(
        _ scene: MirrorScene, on store: any StorageBackend = MemoryBackend(), syncs: Bool = false
    ) async throws -> TestDevice {
        try await scene.device(on: store, syncs: syncs) { $0.selection.includesSharedZones = true }
    }

    private func names(in database: Database) async throws -> [String] {
        try await database.allRecords(matching: Query(recordType: "Notes"), inZoneWith: Self.shared)
            .map(\.recordID.recordName).sorted()
    }

    @Test(
        "appear after an acceptance, here or on another device, and take edits without a network",
        arguments: RemoteKind.allCases)
    func appearance(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let (owner, url) = try await invite(in: scene)
        let first = try await device(scene)
        let second = try await device(scene)
        for device in [first, second] {
            try await device.sync()
            #expect(try await device.container.sharedDatabase.allRecordZones().isEmpty)
        }
        try await accept(url, in: first.container)
        for device in [first, second] { try await device.sync() }
        for device in [first, second] {
            #expect(try await device.container.sharedDatabase.allRecordZones().map(\.zoneID) == [Self.shared])
            #expect(try await names(in: device.container.sharedDatabase) == ["a"])
            // The same names in the private database are those of other records.
            #expect(try await device.text(of: "a") == nil)
            let error = await #expect(throws: CabinetError(.unknownItem)) {
                _ = try await device.container.sharedDatabase.record(for: Self.id("none"))
            }
            #expect(error?.message.contains("of the shared database") == true)
        }

        first.link.isCutOff = true
        var note = try await first.container.sharedDatabase.record(for: Self.id("a"))
        note["text"] = "2"
        try await first.container.sharedDatabase.save(note)
        try await first.container.sharedDatabase.save(MirrorScene.note("b", "new", in: Self.shared))
        #expect(try await first.mirror.readStatus().description == "2 changes to send")
        first.link.isCutOff = false
        try await first.sync()
        try await second.sync()
        #expect(try await owner.text(of: "a", in: Self.owned) == "2")
        #expect(try await owner.text(of: "b", in: Self.owned) == "new")
        #expect(try await second.container.sharedDatabase.text(of: "b", in: Self.shared) == "new")
        let creator = try await owner.record(for: RecordID(recordName: "b", zoneID: Self.owned)).creatorUserRecordID
        #expect(creator?.recordName == "_ann")
        #expect(first.mirror.status.isIdle && second.mirror.status.isIdle)
    }

    @Test("arrive by themselves after an acceptance on this device", arguments: RemoteKind.allCases)
    func acceptanceWhileRunning(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let (owner, url) = try await invite(in: scene)
        let device = try await device(scene, syncs: true)
        try await eventually("The mirror is idle.") { device.mirror.status.isIdle }
        try await accept(url, in: device.container)
        let database = device.container.sharedDatabase
        try await eventually("The zone arrives.") { try await database.text(ifIn: Self.shared, of: "a") == "1" }
        try await owner.save(MirrorScene.note("b", "2", in: Self.owned))
        try await eventually("The owner's record arrives.") {
            try await database.text(ifIn: Self.shared, of: "b") == "2"
        }
        try await remove(from: owner)
        try await eventually("The zone vanishes.") { try await database.allRecordZones().isEmpty }
        await device.mirror.close()
    }

    @Test(
        "vanish with a revoked share, and a change that was not sent is set aside", arguments: RemoteKind.allCases,
        [false, true])
    func revocation(on kind: RemoteKind, isSharedAgain: Bool) async throws {
        let scene = try await MirrorScene(kind)
        let (owner, url) = try await invite(in: scene)
        let store = MemoryBackend()
        let device = try await device(scene, on: store)
        try await accept(url, in: device.container)
        try await owner.save(MirrorScene.note("b", "1", in: Self.owned))
        try await device.sync()
        let database = device.container.sharedDatabase
        var note = try await database.record(for: Self.id("a"))
        note["text"] = "edited"
        try await database.save(note)
        try await database.save(MirrorScene.note("c", "new", in: Self.shared))
        try await remove(from: owner)
        try await device.sync()

        #expect(try await names(in: database) == ["a", "c"])
        let changes = try await device.mirror.pendingChanges(in: .shared)
        #expect(changes.map(\.recordID.recordName) == ["a", "c"])
        #expect(changes.allSatisfy { $0.error?.code == .zoneNotFound && $0.error?.recordID == $0.recordID })
        #expect(changes.map { $0.record?["text"] as? String } == ["edited", "new"])
        #expect("\(device.mirror.status)" == "2 changes set aside")
        #expect(try await owner.text(of: "a", in: Self.owned) == "1")

        guard isSharedAgain else {
            try await device.mirror.discard(changes.map(\.recordID), in: .shared)
            #expect(try await database.allRecordZones().isEmpty)
            #expect(device.mirror.status.isIdle)
            return
        }
        // Another device has changed another field in between.
        try await owner.set("other", "title", of: "a", in: Self.owned)
        let share = try await change(of: owner) { share in
            share.addParticipant(Share.Participant(userRecordName: "_ann", permission: .readWrite))
        }
        try await accept(try #require(share.url), in: device.container)
        try await device.sync()
        #expect(try await names(in: database) == ["a", "b", "c"])
        try await device.mirror.retry(changes.map(\.recordID), in: .shared)
        try await device.sync()
        #expect(try await owner.text(of: "a", in: Self.owned) == "edited")
        #expect(try await owner.text("title", of: "a", in: Self.owned) == "other")
        #expect(try await owner.text(of: "c", in: Self.owned) == "new")
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "are judged by the server: a change without permission is set aside with its record",
        arguments: RemoteKind.allCases)
    func permission(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let (owner, url) = try await invite(in: scene, permission: .readOnly)
        let device = try await device(scene)
        try await accept(url, in: device.container)
        try await device.sync()
        let database = device.container.sharedDatabase
        var note = try await database.record(for: Self.id("a"))
        note["text"] = "mine"
        try await database.save(note)
        // The private database does not wait for it.
        try await device.set("1", of: "own")
        try await device.sync()
        let refused = try #require(try await device.mirror.pendingChanges(in: .shared).first)
        #expect(refused.error?.code == .permissionFailure && refused.recordID == Self.id("a"))
        #expect(refused.databaseScope == .shared)
        #expect(try await owner.text(of: "a", in: Self.owned) == "1")
        #expect(try await scene.text(of: "own") == "1")
        #expect("\(device.mirror.status)" == "1 change set aside")

        try await change(of: owner) { share in
            share.removeParticipant(share.participants[1])
            share.addParticipant(Share.Participant(userRecordName: "_ann", permission: .readWrite))
        }
        try await accept(url, in: device.container)
        try await device.mirror.retry([refused.recordID], in: .shared)
        try await device.sync()
        #expect(try await owner.text(of: "a", in: Self.owned) == "mine")
        #expect(device.mirror.status.isIdle)
    }

    @Test("are left by the deletion of their share, and have no records of the user", arguments: RemoteKind.allCases)
    func leaving(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let (owner, url) = try await invite(in: scene)
        let device = try await device(scene)
        try await accept(url, in: device.container)
        try await device.sync()
        let database = device.container.sharedDatabase
        let share = try await database.share(forZoneWith: Self.shared)
        #expect(share.participants.map(\.userRecordName) == ["_owner", "_ann"])
        await #expect { try await database.save(MirrorScene.note("x", "1")) } throws: { error in
            (error as? CabinetError)?.code == .zoneNotFound
        }
        await #expect(throws: CabinetError.self) { try await database.save(RecordZone(zoneName: "New")) }
        try await database.deleteRecord(withID: share.recordID)
        try await device.sync()
        #expect(try await database.allRecordZones().isEmpty)
        #expect(try await owner.text(of: "a", in: Self.owned) == "1")
        #expect(device.mirror.status.isIdle)
    }

    /// Shares a hierarchy of `_owner` with `_ann`: the note `root`, and below it `child`, which `root` owns.
    private func shareHierarchy(in scene: MirrorScene) async throws -> (owner: Database, device: TestDevice) {
        let owner = try scene.container(of: "_owner").privateDatabase
        try await owner.save(RecordZone(zoneID: Self.owned))
        let root = MirrorScene.note("root", "1", in: Self.owned)
        var child = MirrorScene.note("child", "1", in: Self.owned)
        child.parent = Reference(record: root, action: .none)
        child["list"] = Reference(record: root, action: .deleteSelf)
        var share = Share(rootRecord: root, shareID: RecordID(recordName: "share", zoneID: Self.owned))
        share.addParticipant(Share.Participant(userRecordName: "_ann", permission: .readWrite))
        _ = try await owner.modifyRecords(saving: [root, share.record, child], deleting: [])
        share = try Share(try await owner.record(for: share.recordID))
        let device = try await device(scene)
        try await accept(try #require(share.url), in: device.container)
        try await device.sync()
        return (owner, device)
    }

    @Test("keep what a refused deletion would delete with its record")
    func refusedCascade() async throws {
        let (owner, device) = try await shareHierarchy(in: try await MirrorScene())
        let database = device.container.sharedDatabase
        try await database.deleteRecord(withID: Self.id("root"))
        #expect(try await names(in: database).isEmpty)
        try await device.sync()
        let changes = try await device.mirror.pendingChanges(in: .shared)
        #expect(changes.map(\.recordID) == [Self.id("child"), Self.id("root")])
        #expect(changes[0].waitingFor == Self.id("root") && changes[0].error == nil)
        #expect(changes[1].error?.code == .permissionFailure)
        #expect(try await owner.text(of: "child", in: Self.owned) == "1")
        try await device.mirror.discard([Self.id("root")], in: .shared)
        #expect(try await names(in: database) == ["child", "root"])
        try await device.sync()
        #expect(try await names(in: database) == ["child", "root"])
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "keep a record that is saved again after a cascade, if the user may neither save nor delete",
        arguments: RemoteKind.allCases)
    func savedAgain(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let (owner, url) = try await invite(in: scene, permission: .readOnly)
        var child = MirrorScene.note("child", "1", in: Self.owned)
        child["list"] = Reference(
            recordID: RecordID(recordName: "a", zoneID: Self.owned), action: .deleteSelf)
        try await owner.save(child)
        let device = try await device(scene)
        try await accept(url, in: device.container)
        try await device.sync()
        let database = device.container.sharedDatabase
        try await database.deleteRecord(withID: Self.id("a"))
        #expect(try await names(in: database).isEmpty)
        try await database.save(MirrorScene.note("child", "again", in: Self.shared))
        try await device.sync()
        let changes = try await device.mirror.pendingChanges(in: .shared)
        #expect(changes.map(\.recordID) == [Self.id("a"), Self.id("child")])
        #expect(changes.allSatisfy { $0.error?.code == .permissionFailure })
        try await device.mirror.discard([Self.id("a")], in: .shared)
        #expect(try await names(in: database) == ["a", "child"])
        #expect(try await database.text(of: "child", in: Self.shared) == "again")
        #expect(try await owner.text(of: "child", in: Self.owned) == "1")
        try await device.mirror.discard([Self.id("child")], in: .shared)
        try await device.sync()
        #expect(try await database.text(of: "child", in: Self.shared) == "1")
        #expect(device.mirror.status.isIdle)
    }

    @Test("take requests and subscriptions that the server takes: a share is left in a request of its own")
    func refusedRequests() async throws {
        let (owner, device) = try await shareHierarchy(in: try await MirrorScene())
        let database = device.container.sharedDatabase
        await #expect(throws: CabinetError(.invalidArguments)) {
            _ = try await database.modifyRecords(saving: [], deleting: [Self.id("child"), Self.id("share")])
        }
        // A record that no longer exists is not a share.
        _ = try await database.modifyRecords(saving: [], deleting: [Self.id("child"), Self.id("missing")])
        let query = QuerySubscription(recordType: "Notes", subscriptionID: "query", options: .firesOnRecordUpdate)
        await #expect(throws: CabinetError(.badDatabase)) { try await database.save(query) }
        try await database.save(DatabaseSubscription(subscriptionID: "all"))
        try await database.deleteRecord(withID: Self.id("share"))
        try await device.sync()
        #expect(try await database.allRecordZones().isEmpty)
        #expect(try await owner.text(of: "root", in: Self.owned) == "1")
    }

    @Test("of two owners have the same name, and each its own records", arguments: RemoteKind.allCases)
    func equalNames(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let (_, url) = try await invite(in: scene)
        let other = try scene.container(of: "_other").privateDatabase
        try await other.save(RecordZone(zoneID: Self.owned))
        try await other.save(MirrorScene.note("a", "other", in: Self.owned))
        var share = Share(recordZoneID: Self.owned)
        share.addParticipant(Share.Participant(userRecordName: "_ann", permission: .readWrite))
        share = try await other.save(share)
        try await scene.remote.save(RecordZone(zoneID: Self.owned))
        try await scene.remote.save(MirrorScene.note("a", "own", in: Self.owned))

        let store = MemoryBackend()
        let device = try await device(scene, on: store)
        try await accept(url, in: device.container)
        try await accept(try #require(share.url), in: device.container)
        try await device.sync()
        let second = RecordZone.ID(zoneName: "Notes", ownerName: "_other")
        let database = device.container.sharedDatabase
        #expect(try await database.text(of: "a", in: Self.shared) == "1")
        #expect(try await database.text(of: "a", in: second) == "other")
        #expect(try await device.text(of: "a", in: Self.owned) == "own")
        var note = try await database.record(for: RecordID(recordName: "a", zoneID: second))
        note["text"] = "mine"
        try await database.save(note)
        try await device.sync()
        #expect(try await other.text(of: "a", in: Self.owned) == "mine")
        // Another user of the same device has none of it.
        let stranger = try await scene.device(on: store, user: "_ben") { $0.selection.includesSharedZones = true }
        try await stranger.sync()
        #expect(try await stranger.container.sharedDatabase.allRecordZones().isEmpty)
    }
}

extension Database {
    /// Sets a field of a note, as another client.
    func set(_ text: String, _ field: String, of name: String, in zoneID: RecordZone.ID) async throws {
        var note = try await record(for: RecordID(recordName: name, zoneID: zoneID))
        note[field] = text
        try await save(note)
    }

    /// Returns the text of a note, or `nil` also if the zone does not exist.
    func text(ifIn zoneID: RecordZone.ID, of name: String) async throws -> String? {
        do {
            return try await text(of: name, in: zoneID)
        } catch CabinetError.Code.zoneNotFound {
            return nil
        }
    }
}
