import Cabinet
import CabinetMirror
import CabinetTesting
import CabinetTools
import Foundation
import Testing

/// Verifications and copies of the store of a mirror.
@Suite("The store of a mirror, verified and copied")
struct MirroredStoreTests {
    private func container(on store: any StorageBackend, of scene: MirrorScene) throws -> Container {
        try Container(identifier: MirrorScene.container, backend: store, account: scene.user)
    }

    @Test("A verification accepts assets that the server has, and repairs wrong numbers of pending changes")
    func verification() async throws {
        let scene = try await MirrorScene()
        var note = MirrorScene.note("a", "a")
        note["file"] = Asset(data: Data(repeating: 1, count: 100))
        try await scene.remote.save(note)
        let store = MemoryBackend()
        let device = try await scene.device(on: store)
        try await device.sync()
        try await device.set("b", of: "b")
        let container = try container(on: store, of: scene)
        try await #expect(container.verify().findings.map(\.description) == [])

        let database = DatabaseKey.private(owner: scene.user.userRecordName)
        try await store.write(database) { try await $0.apply([.setEntry(StorageKey("mirror", "counts"), "7 2")]) }
        let findings = try await container.verify().findings.map(\.description)
        #expect(findings.count == 1 && findings[0].contains("The mirror has 1 pending change, 0 of them set aside"))
        _ = try await container.verify(repairing: true)
        try await #expect(container.verify().findings.map(\.description) == [])
        #expect("\(try await device.mirror.readStatus())" == "1 change to send")

        try await store.write(database) {
            try await $0.apply([.setEntry(StorageKey("mirror", "change", "_", "_", "x"), "damaged")])
        }
        #expect(try await container.verify().findings.contains { "\($0)".contains("cannot send its changes") })
    }

    @Test("A verification accepts values of a change that the server has refused because they are not unique")
    func uniqueValues() async throws {
        let scene = try await MirrorScene()
        var schema = Schema()
        schema["Notes"] = .init(fields: ["text": .init(.string)], uniqueKeys: [["text"]])
        try await scene.remote.apply(schema)
        let store = MemoryBackend()
        let device = try await scene.device(on: store)
        try await device.database.apply(schema)
        try await device.set("same", of: "a")
        try await scene.remote.save(MirrorScene.note("b", "same"))
        try await device.sync()
        #expect(try await device.mirror.pendingChanges().first?.error?.code == .constraintViolation)
        #expect(try await device.text(of: "b") == "same")
        try await #expect(container(on: store, of: scene).verify().findings.map(\.description) == [])
    }

    @Test("The losses of a drop are those of the server and of what was not sent")
    func losses() async throws {
        let scene = try await MirrorScene()
        for name in ["a", "b", "c"] { try await scene.remote.save(MirrorScene.note(name, name)) }
        let device = try await scene.device()
        #expect(try await device.container.lossesOfDrop(SchemaPart("Notes")) == 3)
        for name in ["d", "e", "f", "g"] { try await device.set("1", of: name) }
        #expect(try await device.container.lossesOfDrop(SchemaPart("Notes")) == 4)
    }

    @Test("A copy sends what the original has not sent, and goes on where it was")
    func copy() async throws {
        let scene = try await MirrorScene()
        for name in ["a", "b", "c"] { try await scene.remote.save(MirrorScene.note(name, name)) }
        let (store, other) = (MemoryBackend(), MemoryBackend())
        let device = try await scene.device(on: store)
        try await device.sync()
        try await device.set("edited", of: "a")
        try await device.database.deleteRecord(withID: RecordID(recordName: "b"))
        _ = try await container(on: store, of: scene).copy(to: try container(on: other, of: scene))

        let link = TestLink(scene.server)
        let copy = try await scene.device(on: other, through: link)
        #expect("\(try await copy.mirror.readStatus())" == "2 changes to send")
        try await copy.sync()
        #expect(try await scene.remote.text(of: "a") == "edited")
        #expect(try await scene.remote.text(of: "b") == nil)
        #expect(try await copy.text(of: "c") == "c")
        #expect(copy.mirror.status.isIdle)
        try await #expect(container(on: other, of: scene).verify().findings.map(\.description) == [])
    }

    @Test("A store without the bytes of an asset, which its server has, is not copied")
    func copyWithoutBytes() async throws {
        let scene = try await MirrorScene()
        var note = MirrorScene.note("a", "a")
        note["file"] = Asset(data: Data("bytes".utf8))
        try await scene.remote.save(note)
        let store = MemoryBackend()
        let device = try await scene.device(on: store)
        try await device.sync()
        let target = try container(on: MemoryBackend(), of: scene)
        let error = await #expect(throws: CabinetError.self) {
            try await container(on: store, of: scene).copy(to: target)
        }
        #expect(error?.code == .assetNotAvailable && error?.message.contains("which the server has") == true)
    }
}
