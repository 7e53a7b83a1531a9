import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// Encrypted values, whose keys a mirror does not store.
@Suite("Encrypted values and a mirror")
struct EncryptedValueTests {
    private static let place = "in the container that it mirrors"

    private func error(_ body: () async throws -> Void) async -> CabinetError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? CabinetError
        }
    }

    @Test("A container with a key store is not mirrored")
    func encryptingRemote() async throws {
        let scene = try await MirrorScene()
        let remote = try scene.container(of: "_ann").encrypting(with: TestEncryption().encryption)
        #expect { try MirrorDatabaseService(mirroring: remote, in: MemoryBackend()) } throws: {
            ($0 as? CabinetError)?.code == .invalidArguments
        }
    }

    @Test("A mirror says where encrypted values are read and saved")
    func refusals() async throws {
        let scene = try await MirrorScene()
        let keys = TestEncryption()
        var secret = scene.note("secret", "1")
        secret.encryptedValues["place"] = "under the mat"
        try await scene.container(of: "_ann").encrypting(with: keys.encryption).privateDatabase.save(secret)
        let device = try await scene.device()
        try await device.sync()
        // The values that are not encrypted can be read and changed.
        try await device.set("2", of: "secret")
        try await device.sync()
        #expect(device.mirror.status.isIdle)
        let encrypting = device.container.encrypting(with: keys.encryption).privateDatabase
        let id = secret.recordID
        #expect(await error { _ = try await encrypting.record(for: id) }?.message.contains(Self.place) == true)
        let new = scene.note("new", "1")
        for database in [device.database, encrypting] {
            var new = new
            new.encryptedValues["place"] = "in the shed"
            let record = new
            #expect(await error { try await database.save(record) }?.message.contains(Self.place) == true)
        }
        let found = try await scene.container(of: "_ann").encrypting(with: keys.encryption).privateDatabase
            .record(for: id)
        #expect(found.encryptedValues["place"] == "under the mat")
        #expect(found["text"] == "2")
    }

    /// Creates a note with an encrypted value.
    private func secret(_ name: String, in zoneID: RecordZone.ID) -> Record {
        var note = MirrorScene.note(name, "1", in: zoneID)
        note.encryptedValues["place"] = "under the mat"
        return note
    }

    @Test("The keys of a plain store that becomes a mirror's are sent before its records")
    func adoption() async throws {
        let scene = try await MirrorScene()
        let (keys, store) = (TestEncryption(), MemoryBackend())
        let plain = try Container(identifier: MirrorScene.container, backend: store, account: scene.user)
            .encrypting(with: keys.encryption).privateDatabase
        try await plain.save(RecordZone(zoneID: MirrorScene.zone))
        let zoneIDs = [RecordZone.ID.default, MirrorScene.zone]
        for zoneID in zoneIDs { try await plain.save(secret("a", in: zoneID)) }
        let device = try await scene.device(on: store)
        device.link.pass(ModifyZonesRequest.name, 1)
        await #expect(throws: CabinetError.self) { try await device.mirror.sendChanges() }
        #expect(try await scene.remote.count(matching: Query(recordType: "Notes")) == 0)
        device.link.pass(ModifyZonesRequest.name, 100)
        try await device.sync()
        #expect(device.mirror.status.isIdle)
        let remote = try scene.container(of: "_ann").encrypting(with: keys.encryption).privateDatabase
        for zoneID in zoneIDs {
            var note = try await remote.record(for: RecordID(recordName: "a", zoneID: zoneID))
            #expect(note.encryptedValues["place"] == "under the mat")
            note.encryptedValues["place"] = "in the shed"
            note = try await remote.save(note)
            #expect(note.encryptedValues["place"] == "in the shed")
        }
    }

    @Test(
        "A record that is sent again with its zone has no encrypted values, and its error says so",
        arguments: [
            (DatabaseChange.Deletion.Reason.deleted, false), (.deleted, true), (.purged, false),
        ])
    func lostZone(reason: DatabaseChange.Deletion.Reason, isRecreated: Bool) async throws {
        let (scene, keys) = (try await MirrorScene(), TestEncryption())
        let remote = try scene.container(of: "_ann").encrypting(with: keys.encryption).privateDatabase
        try await remote.save(RecordZone(zoneID: MirrorScene.zone))
        try await remote.save(["a", "b"].map { secret($0, in: MirrorScene.zone) })
        let link = TestLink(PurgingService(base: try scene.service(for: scene.user), reason: reason))
        let device = try await scene.device(through: link)
        try await device.sync()
        try await device.set("2", of: "a", in: MirrorScene.zone)
        try await remote.deleteRecordZone(withID: MirrorScene.zone)
        if isRecreated { try await remote.save(RecordZone(zoneID: MirrorScene.zone)) }
        try await device.sync()
        let changes = try await device.mirror.pendingChanges()
        #expect(changes.map(\.recordID.recordName) == (reason == .deleted ? ["a"] : ["a", "b"]))
        #expect(changes.allSatisfy { $0.error?.message.contains("encrypted values") == true })
        try await device.mirror.retry(changes.map(\.recordID))
        try await device.sync()
        #expect(device.mirror.status.isIdle)
        for change in changes {
            var found = try await remote.record(for: change.recordID)
            #expect(found["text"] == (change.recordID.recordName == "a" ? "2" : "1"))
            #expect(found.encryptedValues.allKeys() == [])
            found.encryptedValues["place"] = "in the shed"
            found = try await remote.save(found)
            #expect(found.encryptedValues["place"] == "in the shed")
        }
    }
}
