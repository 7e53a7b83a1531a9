import Cabinet
import CabinetMirror
import CabinetTesting
import Foundation
import Testing

/// The first fetch or send of a mirror over a store that a plain container has used.
@Suite("A store with records that becomes a mirror's")
struct AdoptionTests {
    private static let work = RecordZone.ID(zoneName: "Work")

    private func plain(_ store: any StorageBackend, of scene: MirrorScene) throws -> Database {
        try Container(identifier: MirrorScene.container, backend: store, account: scene.user).privateDatabase
    }

    @Test("sends its zones and records", arguments: RemoteKind.allCases)
    func records(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let store = MemoryBackend()
        let plain = try plain(store, of: scene)
        for id in [scene.home, Self.work] where id != .default { try await plain.save(RecordZone(zoneID: id)) }
        let target = try await plain.save(scene.note("target", "1"))
        var child = scene.note("child", "2")
        child["list"] = Reference(record: target, action: .deleteSelf)
        child["file"] = Asset(data: Data([1, 2, 3]))
        // More than a page of them.
        try await plain.save([child] + (0..<250).map { scene.note("n\($0)", "3") })
        try await plain.save(scene.note("other", "4", in: Self.work))

        let device = try await scene.device(on: store)
        try await device.mirror.fetchChanges()
        #expect(
            try await device.mirror.readStatus().description == (kind == .iCloud ? "255" : "254") + " changes to send")
        try await device.sync()
        #expect(device.mirror.status.isIdle)
        #expect(try await scene.text(of: "n249") == "3")
        #expect(try await scene.text(of: "other", in: Self.work) == "4")
        let sent = try await scene.remote.record(for: child.recordID)
        #expect(try await (sent["file"] as Asset?)?.data() == Data([1, 2, 3]))

        let requests = device.link.names.filter { $0 == "modifyRecords" }.count
        let again = try await scene.device(on: store, through: device.link)
        try await again.sync()
        #expect(device.link.names.filter { $0 == "modifyRecords" }.count == requests)
    }

    @Test("merges a record that the server has too", arguments: RemoteKind.allCases)
    func sameRecord(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let store = MemoryBackend()
        let plain = try plain(store, of: scene)
        if scene.home != .default { try await plain.save(RecordZone(zoneID: scene.home)) }
        var own = scene.note("a", "own")
        own["title"] = "own"
        try await plain.save(own)
        try await scene.remote.save(scene.note("a", "server"))
        let device = try await scene.device(on: store)
        try await device.sync()
        for database in [try scene.remote, device.database] {
            #expect(try await database.text(of: "a", in: scene.home) == "server")
            #expect(try await database.text("title", of: "a", in: scene.home) == "own")
        }
    }

    @Test("begins again after an interruption, and keeps what was deleted in between")
    func interruption() async throws {
        let scene = try await MirrorScene()
        let store = MemoryBackend()
        let plain = try plain(store, of: scene)
        try await plain.save((0..<450).map { scene.note("n\($0)", "1") })
        let faults = FaultInjectingBackend(store)
        let device = try await scene.device(on: faults)
        // The lease, and two pages.
        faults.inject(.connectionLostBeforeCommit(), on: .write, at: 4)
        await #expect(throws: CabinetError.self) { try await device.mirror.fetchChanges() }
        try await device.database.deleteRecord(withID: RecordID(recordName: "n0"))
        try await device.sync()
        #expect(device.mirror.status.isIdle)
        #expect(try await scene.remote.count(matching: Query(recordType: "Notes")) == 449)
        #expect(try await device.database.count(matching: Query(recordType: "Notes")) == 449)
    }
}
