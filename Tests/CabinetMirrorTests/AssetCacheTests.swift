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

    @Test("At once, a fetch of assets that is interrupted goes on after a restart", arguments: RemoteKind.allCases)
    func restart(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let names = ["a", "b", "c"]
        for name in names { try await save(name, 10, in: scene.remote, of: scene) }
        let (store, link) = (MemoryBackend(), TestLink(try scene.service(for: scene.user)))
        link.cutsBytes = true
        let first = try await scene.device(on: store, through: link) { $0.assets.fetching = .atOnce }
        await #expect(throws: CabinetError(.networkUnavailable)) { try await first.mirror.fetchChanges() }
        #expect("\(first.mirror.status)" == "assets to fetch")
        let second = try await scene.device(on: store, through: link) { $0.assets.fetching = .atOnce }
        #expect("\(try await second.mirror.readStatus())" == "assets to fetch")
        // A record that is deleted has no assets to fetch.
        try await second.database.deleteRecord(withID: scene.id("b"))
        link.cutsBytes = false
        try await second.sync()
        #expect(second.mirror.status.isIdle)
        link.cutsBytes = true
        let offline = try await scene.device(on: store, through: link)
        for name in ["a", "c"] {
            #expect(try await read(name, from: offline.database, of: scene) == bytes(name, 10))
        }
    }

    @Test("At once, four assets are fetched at a time, each once, and another fetch does not wait for them")
    func anotherFetch() async throws {
        let scene = try await MirrorScene()
        for name in ["a", "b", "c", "d", "e", "f"] { try await save(name, 10, in: scene.remote, of: scene) }
        let device = try await scene.device { $0.assets.fetching = .atOnce }
        device.link.hold(TestLink.bytes)
        async let first: Void = device.mirror.fetchChanges()
        try await eventually("The mirror fetches assets.") { device.link.heldCount == 4 }
        try await scene.remote.save(scene.note("new", "1"))
        async let second: Void = device.mirror.fetchChanges()
        try await eventually("The other record arrives.") { try await device.text(of: "new") == "1" }
        try await device.set("2", of: "new")
        try await device.mirror.sendChanges()
        try await eventually("Nothing else is missing.") { "\(device.mirror.status)" == "assets to fetch" }
        #expect(device.link.heldCount == 4)
        device.link.release()
        _ = try await (first, second)
        #expect(device.mirror.status.isIdle)
        #expect(device.link.names.count { $0 == TestLink.bytes } == 6)
    }

    @Test(
        "At once, a mirror that works by itself fetches records while it fetches assets", arguments: RemoteKind.allCases
    )
    func automatic(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device(syncs: true) { $0.assets.fetching = .atOnce }
        try await eventually("The mirror is idle.") { device.mirror.status.isIdle }
        device.link.hold(TestLink.bytes)
        try await save("a", 10, in: scene.remote, of: scene)
        try await eventually("The mirror fetches the asset.") { device.link.heldCount == 1 }
        try await scene.remote.save(scene.note("new", "1"))
        try await eventually("The other record arrives.") { try await device.text(of: "new") == "1" }
        #expect(!device.mirror.status.isIdle)
        device.link.release()
        try await eventually("The mirror is idle again.") { device.mirror.status.isIdle }
        device.link.cutsBytes = true
        #expect(try await read("a", from: device.database, of: scene) == bytes("a", 10))
        await device.mirror.close()
    }

    @Test("At once, an asset that the server no longer has is not asked for again")
    func lostAsset() async throws {
        let scene = try await MirrorScene()
        for name in ["a", "b"] { try await save(name, 10, in: scene.remote, of: scene) }
        let device = try await scene.device(through: TestLink(ForgettingService(base: scene.server))) {
            $0.assets.fetching = .atOnce
        }
        try await device.mirror.fetchChanges()
        #expect(device.mirror.status.isIdle)
        try await device.mirror.fetchChanges()
        #expect(device.link.names.count { $0 == TestLink.bytes } == 2)
    }

    @Test("At once, the asset of a version that comes while the former one is copied is fetched too")
    func laterVersion() async throws {
        let scene = try await MirrorScene()
        try await save("a", 10, in: scene.remote, of: scene)
        let device = try await scene.device { $0.assets.fetching = .atOnce }
        device.link.hold(TestLink.bytes)
        async let first: Void = device.mirror.fetchChanges()
        try await eventually("The mirror fetches the asset.") { device.link.heldCount == 1 }
        var note = try await scene.remote.record(for: scene.id("a"))
        note["file"] = Asset(data: bytes("a", 20))
        try await scene.remote.save([note, scene.note("new", "1")])
        async let second: Void = device.mirror.fetchChanges()
        try await eventually("The later version arrives.") { try await device.text(of: "new") == "1" }
        device.link.release()
        _ = try await (first, second)
        #expect(device.mirror.status.isIdle)
        device.link.cutsBytes = true
        #expect(try await read("a", from: device.database, of: scene) == bytes("a", 20))
    }

    @Test("At once, a full disk is reported and keeps no records away, and the next fetch goes on")
    func fullDisk() async throws {
        let scene = try await MirrorScene()
        let names = ["a", "b", "c", "d", "e"]
        for name in names { try await save(name, 10, in: scene.remote, of: scene) }
        let store = FaultInjectingBackend(MemoryBackend())
        store.inject(.failure(.quotaExceeded), on: .upload, times: nil)
        let device = try await scene.device(on: store) { $0.assets.fetching = .atOnce }
        await #expect(throws: CabinetError(.quotaExceeded)) { try await device.mirror.fetchChanges() }
        #expect(try await device.database.count(matching: Query(recordType: "Notes")) == names.count)
        #expect("\(device.mirror.status)" == "assets to fetch")
        store.removeAllInjections()
        try await device.mirror.fetchChanges()
        #expect(device.mirror.status.isIdle)
        device.link.cutsBytes = true
        for name in names { #expect(try await read(name, from: device.database, of: scene) == bytes(name, 10)) }
    }

    @Test("At once, what does not fit is fetched when it is read, and nothing is fetched again and again")
    func limitAtOnce() async throws {
        let scene = try await MirrorScene()
        for name in ["a", "b", "c"] { try await save(name, 400, in: scene.remote, of: scene) }
        let device = try await scene.device {
            ($0.assets.fetching, $0.assets.byteLimit) = (.atOnce, 1_000)
        }
        for _ in 1...2 { try await device.mirror.fetchChanges() }
        #expect(device.mirror.status.isIdle)
        #expect(device.link.names.count { $0 == TestLink.bytes } == 2)
    }

    @Test("The sizes of assets in a damaged store have a sum")
    func hugeSizes() {
        let asset = StoredAsset(checksum: Asset.Checksum(of: Data()), size: .max - 1)
        #expect([asset].size == .max - 1)
        #expect([asset, asset].size == .max)
    }
}

/// A server that has lost the bytes of all assets.
private struct ForgettingService: WrappingService {
    let base: any DatabaseService

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try await base.perform(request, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        throw CabinetError(.assetNotAvailable, "The test has lost the bytes.", recordID: recordID)
    }
}
