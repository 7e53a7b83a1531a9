import CabinetMirror
import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

/// Records that the program deletes and creates again before the server knows, in the company of records that they refer to.
@Suite("Records of a mirror that are created again")
struct RecreatedRecordTests {
    private func note(
        _ name: String, to target: String, _ action: Reference.Action, in scene: MirrorScene
    ) -> Record {
        var note = scene.note(name, "0")
        note["list"] = Reference(recordID: scene.id(target), action: action)
        return note
    }

    /// Expects that the device and the server have some records, and no other ones.
    private func expect(
        _ names: [String], _ scene: MirrorScene, _ device: TestDevice, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for database in [device.database, try scene.remote] {
            var found: [String] = []
            for try await page in database.recordZoneChangeSequence(inZoneWith: scene.home, since: nil) {
                found += page.modifications.map(\.record.recordID.recordName)
            }
            #expect(found.sorted() == names.sorted(), sourceLocation: sourceLocation)
        }
        #expect(device.mirror.status.isIdle, sourceLocation: sourceLocation)
    }

    @Test(
        "One that refers to a record that its deletion has changed is sent, and so is the other",
        arguments: [false, true])
    func cycle(isSent: Bool) async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        try await device.database.save(scene.note("target", "0"))
        if isSent { try await device.sync() }
        try await device.database.save(note("new", to: "target", .nullify, in: scene))
        try await device.database.deleteRecord(withID: scene.id("target"))
        try await device.database.save(note("target", to: "new", .deleteSelf, in: scene))
        try await device.sync()
        try await expect(["new", "target"], scene, device)
        for database in [device.database, try scene.remote] {
            #expect(try await database.record(for: scene.id("new"))["list"] == nil)
            let reference = try await database.record(for: scene.id("target"))["list"] as? Reference
            #expect(reference?.recordID.recordName == "new")
        }
    }

    @Test(
        "The end of another deletion, which has cleared its reference, returns nothing that its own deletion has deleted"
    )
    func otherDeletion() async throws {
        let scene = try await MirrorScene()
        let device = try await scene.device()
        let notes = [
            scene.note("other", "0"), scene.note("list", "0"), note("owned", to: "list", .deleteSelf, in: scene),
        ]
        try await device.database.save(notes)
        try await device.sync()
        try await device.database.deleteRecord(withID: scene.id("list"))
        try await device.database.save(note("list", to: "other", .nullify, in: scene))
        try await device.database.deleteRecord(withID: scene.id("other"))
        try await device.sync()
        try await expect(["list"], scene, device)
    }

    @Test("One of another type leaves what another client has moved away from it", arguments: RemoteKind.allCases)
    func moved(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        let notes = [
            scene.note("list", "0"), scene.note("other", "0"), note("moved", to: "list", .deleteSelf, in: scene),
        ]
        try await device.database.save(notes)
        try await device.sync()
        var moved = try await scene.remote.record(for: scene.id("moved"))
        moved["list"] = Reference(recordID: scene.id("other"), action: .deleteSelf)
        try await scene.remote.save(moved)
        try await device.database.deleteRecord(withID: scene.id("list"))
        try await device.database.save(Record(recordType: "Lists", recordID: scene.id("list")))
        try await device.sync()
        try await expect(["list", "moved", "other"], scene, device)
    }

    @Test("One of another type is sent before what refers to it", arguments: RemoteKind.allCases)
    func order(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device()
        try await device.database.save(scene.note("list", "0"))
        try await device.sync()
        try await device.database.deleteRecord(withID: scene.id("list"))
        try await device.database.save(Record(recordType: "Lists", recordID: scene.id("list")))
        try await device.database.save(note("a", to: "list", .deleteSelf, in: scene))
        try await device.sync()
        try await expect(["a", "list"], scene, device)
    }
}
