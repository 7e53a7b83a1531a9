import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// Deletions of zones here, while other clients use zones of the same names.
@Suite("Zone deletions of a mirror")
struct ZoneDeletionTests {
    private static let zone = MirrorScene.zone

    /// Creates a scene whose device has a zone with the note `a`, which the server has too.
    private func scene(_ kind: RemoteKind) async throws -> (MirrorScene, TestDevice) {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.database.save(RecordZone(zoneID: Self.zone))
        try await device.set("1", of: "a", in: Self.zone)
        try await device.sync()
        return (scene, device)
    }

    /// Creates the zone as another client, with the note `theirs`.
    private func createElsewhere(_ scene: MirrorScene) async throws {
        try await scene.remote.save(RecordZone(zoneID: Self.zone))
        try await scene.remote.save(scene.note("theirs", "1", in: Self.zone))
    }

    private func expectTheirs(_ scene: MirrorScene, _ device: TestDevice) async throws {
        #expect(try await scene.text(of: "theirs", in: Self.zone) == "1")
        #expect(try await device.text(of: "theirs", in: Self.zone) == "1")
        #expect(device.mirror.status.isIdle)
    }

    private func hasZone(_ database: Database) async throws -> Bool {
        try await database.allRecordZones().contains { $0.zoneID == Self.zone }
    }

    @Test(
        "A zone that was deleted and created again is not deleted once more after a failure to create it",
        arguments: RemoteKind.allCases)
    func lostCreation(on kind: RemoteKind) async throws {
        let (scene, device) = try await scene(kind)
        try await device.database.deleteRecordZone(withID: Self.zone)
        try await device.database.save(RecordZone(zoneID: Self.zone))
        try await device.set("2", of: "b", in: Self.zone)
        device.link.pass(ModifyZonesRequest.name, 1)
        await #expect(throws: CabinetError.self) { try await device.mirror.sendChanges() }
        try await createElsewhere(scene)
        device.link.pass(ModifyZonesRequest.name, 100)
        try await device.sync()
        try await expectTheirs(scene, device)
        #expect(try await scene.text(of: "b", in: Self.zone) == "2")
        #expect(try await scene.text(of: "a", in: Self.zone) == nil)
    }

    @Test(
        "A deletion whose answer was lost does not delete the zone that another client has created since",
        arguments: RemoteKind.allCases, [false, true])
    func lostDeletion(on kind: RemoteKind, isRecreated: Bool) async throws {
        let (scene, device) = try await scene(kind)
        try await device.database.deleteRecordZone(withID: Self.zone)
        if isRecreated { try await device.database.save(RecordZone(zoneID: Self.zone)) }
        device.link.loseAnswers(1)
        await #expect(throws: CabinetError.self) { try await device.mirror.sendChanges() }
        #expect(try await !hasZone(scene.remote))
        try await createElsewhere(scene)
        try await device.sync()
        try await expectTheirs(scene, device)
        #expect(try await device.text(of: "a", in: Self.zone) == nil)
    }

    @Test("The same holds for a zone that was never fetched", arguments: RemoteKind.allCases)
    func lostDeletionBeforeFetch(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.database.save(RecordZone(zoneID: Self.zone))
        try await device.set("1", of: "a", in: Self.zone)
        try await device.mirror.sendChanges()
        try await device.database.deleteRecordZone(withID: Self.zone)
        device.link.loseAnswers(1)
        await #expect(throws: CabinetError.self) { try await device.mirror.sendChanges() }
        #expect(try await !hasZone(scene.remote))
        try await createElsewhere(scene)
        try await device.sync()
        try await expectTheirs(scene, device)
    }

    @Test(
        "A zone that another client has deleted and created again is not deleted, and its records arrive",
        arguments: RemoteKind.allCases, [false, true])
    func zoneOfAnotherClient(on kind: RemoteKind, isRecreated: Bool) async throws {
        let (scene, device) = try await scene(kind)
        try await scene.remote.deleteRecordZone(withID: Self.zone)
        try await createElsewhere(scene)
        try await device.database.deleteRecordZone(withID: Self.zone)
        if isRecreated {
            try await device.database.save(RecordZone(zoneID: Self.zone))
            try await device.set("2", of: "b", in: Self.zone)
        }
        try await device.sync()
        try await expectTheirs(scene, device)
        if isRecreated { #expect(try await scene.text(of: "b", in: Self.zone) == "2") }
    }

    @Test(
        "A zone that was created and deleted before it was sent leaves the records of another client's zone",
        arguments: RemoteKind.allCases)
    func unsentZone(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await createElsewhere(scene)
        try await device.database.save(RecordZone(zoneID: Self.zone))
        try await device.database.deleteRecordZone(withID: Self.zone)
        try await device.mirror.sendChanges()
        try await device.sync()
        try await expectTheirs(scene, device)
    }

    @Test(
        "A zone is deleted with the records that other clients have saved in it, also one that was never fetched",
        arguments: RemoteKind.allCases, [false, true])
    func deletion(on kind: RemoteKind, isFetched: Bool) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.database.save(RecordZone(zoneID: Self.zone))
        try await device.set("1", of: "a", in: Self.zone)
        if isFetched { try await device.sync() } else { try await device.mirror.sendChanges() }
        try await scene.remote.save(scene.note("theirs", "1", in: Self.zone))
        try await device.database.deleteRecordZone(withID: Self.zone)
        try await device.sync()
        for database in [try scene.remote, device.database] { #expect(try await !hasZone(database)) }
        #expect(device.mirror.status.isIdle)
    }

    @Test(
        "An edit of a record on its way, whose zone was deleted and created again, is not replaced by what was sent",
        arguments: RemoteKind.allCases, [false, true])
    func editAfterLoss(on kind: RemoteKind, isRetried: Bool) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device { $0.resolver = .fieldwise(whenBothChanged: .server) }
        try await device.database.save(RecordZone(zoneID: Self.zone))
        try await device.sync()
        try await device.set("sent", of: "b", in: Self.zone)
        device.link.pass(ModifyRecordsRequest.name, 0)
        await #expect(throws: CabinetError.self) { try await device.mirror.sendChanges() }
        device.link.pass(ModifyRecordsRequest.name, 100)
        try await device.set("later", of: "b", in: Self.zone)
        try await scene.remote.deleteRecordZone(withID: Self.zone)
        try await device.mirror.fetchChanges()
        #expect(device.mirror.status.description == "1 change set aside")
        try await createElsewhere(scene)
        try await device.sync()
        #expect(try await scene.text(of: "b", in: Self.zone) == "sent")
        #expect(try await device.text(of: "b", in: Self.zone) == "later")
        let id = RecordID(recordName: "b", zoneID: Self.zone)
        if isRetried { try await device.mirror.retry([id]) } else { try await device.mirror.discard([id]) }
        try await device.sync()
        try await expectTheirs(scene, device)
        for database in [try scene.remote, device.database] {
            #expect(try await database.text(of: "b", in: Self.zone) == (isRetried ? "later" : "sent"))
        }
    }
}
