import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import Testing

@testable import CabinetMirror

/// The bytes of assets that a mirror keeps.
@Suite("Assets of a mirror")
struct AssetCacheTests {
    /// Saves a note with bytes of its own.
    private func save(_ name: String, _ size: Int, in database: Database, of scene: MirrorScene) async throws {
        var note = scene.note(name, name)
        note["file"] = Asset(data: bytes(name, size))
        try await database.save(note)
    }

    private func bytes(_ name: String, _ size: Int) -> Data {
        Data(repeating: name.utf8.first ?? 0, count: size)
    }

    private func read(_ name: String, from database: Database, of scene: MirrorScene) async throws -> Data? {
        let asset: Asset? = try await database.record(for: scene.id(name))["file"]
        guard let asset, asset.fileURL != nil else { return nil }
        return try await asset.data()
    }

    @Test(
        "On demand, an asset is fetched once; at once, it is read without a network",
        arguments: RemoteKind.allCases, MirrorAssets.Fetching.allCases)
    func fetching(on kind: RemoteKind, _ fetching: MirrorAssets.Fetching) async throws {
        let scene = try await MirrorScene(kind)
        try await save("a", 3_000_000, in: scene.remote, of: scene)
        try await save("b", 10, in: scene.remote, of: scene)
        let store = MemoryBackend()
        let device = try await scene.device(on: store) { $0.assets.fetching = fetching }
        try await device.sync()
        if fetching == .onDemand {
            #expect(try await read("a", from: device.database, of: scene) == bytes("a", 3_000_000))
        }
        device.link.isCutOff = true
        device.link.cutsBytes = true
        // Another process has no files of its own.
        let again = try await scene.device(on: store, through: device.link)
        #expect(try await read("a", from: again.database, of: scene) == bytes("a", 3_000_000))
        #expect(try await read("b", from: again.database, of: scene) == (fetching == .onDemand ? nil : bytes("b", 10)))
    }

    @Test(
        "Above the limit, the bytes that were read least recently go, and those that were not sent stay",
        arguments: RemoteKind.allCases)
    func limit(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        for name in ["a", "b", "c"] { try await save(name, 400, in: scene.remote, of: scene) }
        let store = MemoryBackend()
        let device = try await scene.device(on: store) { $0.assets.byteLimit = 1_000 }
        try await device.sync()
        try await save("own", 300, in: device.database, of: scene)
        for name in ["a", "b", "c"] {
            #expect(try await read(name, from: device.database, of: scene) == bytes(name, 400))
        }
        device.link.cutsBytes = true
        let offline = try await scene.device(on: store, through: device.link)
        #expect(try await read("a", from: offline.database, of: scene) == nil)
        #expect(try await read("c", from: offline.database, of: scene) == bytes("c", 400))
        #expect(try await read("own", from: offline.database, of: scene) == bytes("own", 300))
        device.link.cutsBytes = false
        try await device.sync()
        let uploaded = try await read("own", from: try scene.remote, of: scene)
        #expect(uploaded == bytes("own", 300))
        // The server has the own bytes by now: they can go too.
        for name in ["a", "b"] { #expect(try await read(name, from: offline.database, of: scene) == bytes(name, 400)) }
        #expect(device.mirror.status.isIdle)
    }

    @Test("The sizes of assets in a damaged store have a sum")
    func hugeSizes() {
        let asset = StoredAsset(checksum: Asset.Checksum(of: Data()), size: .max - 1)
        #expect([asset].size == .max - 1)
        #expect([asset, asset].size == .max)
    }
}
