import Cabinet
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// Uploads that are never ended.
@Suite("Uploads", .timeLimit(.minutes(15)))
struct UploadTests {
    private func asset(_ number: UInt8, size: Int64 = 100_000) throws -> StoredAsset {
        StoredAsset(
            checksum: try #require(Asset.Checksum(Array(repeating: number, count: 32))), size: size)
    }

    @Test("An abandoned upload is removed after a day without activity, and not before")
    func abandoned() async throws {
        let store = try await AssetStore()
        // The upload does not begin a cleaning in the background.
        #expect(store.backend.uploadCleanups.begin(.public))
        let upload = try await store.backend.beginUpload(to: .public)
        try await upload.append(AssetStore.bytes(1 << 20))
        try await upload.append(AssetStore.bytes(1000))
        #expect(try await store.counts() == ["2", "0", "1"])
        #expect(try await store.backend.removeAbandonedAssets(from: .public) == 0)
        #expect(try await store.backend.removeUploads(from: .private(owner: "ben"), idleForSeconds: 0) == 0)
        #expect(try await store.counts() == ["2", "0", "1"])
        try await store.sql("UPDATE TABLE_upload SET date = date - 90000")
        #expect(try await store.backend.removeAbandonedAssets(from: .public) == 2)
        #expect(try await store.counts() == ["0", "0", "0"])
        await upload.end()
        await store.close()
    }

    @Test("The first upload of a day removes abandoned ones in the background")
    func cleaning() async throws {
        let store = try await AssetStore()
        #expect(store.backend.uploadCleanups.begin(.public))
        for _ in 0..<2 { try await store.backend.beginUpload(to: .public).append(AssetStore.bytes(1000)) }
        try await store.sql("UPDATE TABLE_upload SET date = date - 90000")
        let other = try await Stores.backend(store.configuration)
        let upload = try await other.beginUpload(to: .public)
        var counts: [String] = []
        for _ in 0..<1000 {
            counts = try await store.counts()
            if counts == ["0", "0", "1"] { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(counts == ["0", "0", "1"])
        await upload.end()
        await other.close()
        await store.close()
    }

    @Test("A database is cleaned once a day")
    func interval() {
        let cleanups = UploadCleanups()
        let now = ContinuousClock.now
        #expect(cleanups.begin(.public, now: now) && cleanups.begin(.private(owner: "ben"), now: now))
        #expect(!cleanups.begin(.public, now: now + .seconds(86_000)))
        #expect(cleanups.begin(.public, now: now + .seconds(86_400)))
    }

    @Test("An upload that has lost a part, as after a failover, becomes no asset, and a save uploads the bytes again")
    func lostPart() async throws {
        let store = try await AssetStore()
        let upload = try await store.backend.beginUpload(to: .public)
        try await upload.append(AssetStore.bytes(1 << 20))
        try await upload.append(AssetStore.bytes(1000))
        try await store.sql("DELETE FROM TABLE_asset_part WHERE start = 0")
        let asset = try asset(1, size: 1 << 20 + 1000)
        let error = await #expect(throws: CabinetError.self) {
            try await store.backend.write(.public) { try await $0.apply([.addAsset(asset, uploadedAs: upload.id)]) }
        }
        #expect(error?.code == .unknownItem && error?.recordID == nil, "\(error as Any)")
        #expect(try await store.counts() == ["1", "0", "1"])
        await upload.end()

        // The first part that does not begin an upload is lost.
        try await store.sql("CREATE SEQUENCE TABLE_losses")
        try await store.sql(
            """
            CREATE FUNCTION TABLE_lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
            IF NEW.start > 0 AND nextval('TABLE_losses') = 1 THEN RETURN NULL; END IF; RETURN NEW; END $$
            """)
        try await store.sql(
            "CREATE TRIGGER lose BEFORE INSERT ON TABLE_asset_part FOR EACH ROW EXECUTE FUNCTION TABLE_lose()")
        try await store.database.save(store.note("a", Asset(data: AssetStore.bytes(2_500_000))))
        #expect(try await store.sql("SELECT last_value::text FROM TABLE_losses") == [["4"]])
        #expect(try await store.image(of: "a") == AssetStore.bytes(2_500_000))
        #expect(try await store.counts() == ["3", "1", "0"])
        await store.close()
    }

    @Test("The bytes of an asset stay, even if their upload was never ended")
    func taken() async throws {
        let store = try await AssetStore()
        let other = try await Stores.backend(store.configuration)
        let (taken, left) = (try await other.beginUpload(to: .public), try await other.beginUpload(to: .public))
        for upload in [taken, left] {
            try await upload.append(Data(repeating: 1, count: 100_000))
            try await upload.finish()
        }
        let asset = try asset(1)
        try await other.write(.public) { try await $0.apply([.addAsset(asset, uploadedAs: taken.id)]) }
        // Its process has ended.
        await other.close()
        #expect(try await store.counts() == ["2", "1", "2"])
        #expect(try await store.backend.removeUploads(from: .public, idleForSeconds: 0) == 1)
        #expect(try await store.counts() == ["1", "1", "0"])
        let bytes = try await store.backend.read(.public) {
            try await $0.abilities.assets?.bytes(of: asset.checksum, in: 99_990..<100_000)
        }
        #expect(bytes == Data(repeating: 1, count: 10))
        await store.close()
    }

    @Test("A process that is killed leaves bytes that are removed, and no asset", arguments: ["upload", "add"])
    func killed(step: String) async throws {
        let store = try await AssetStore()
        let process = try SavingProcess(
            [try await PostgresServer.shared.value.connection(), "assets", step], schema: store.configuration.schema)
        var printed = Data()
        while !printed.contains(UInt8(ascii: "\n")) {
            let data = process.availableOutput()
            if data.isEmpty { break }
            printed += data
        }
        process.kill()
        #expect(process.finish().errors == "")
        #expect(String(decoding: printed, as: UTF8.self) == "ready\n")
        let count = step == "upload" ? "2" : "1"
        #expect(try await store.counts() == [count, "0", count])
        // The server rolls back the work of the process when it notices its end, and others wait for that.
        #expect(try await store.backend.removeUploads(from: .public, idleForSeconds: 0) == Int(count))
        #expect(try await store.counts() == ["0", "0", "0"])
        await store.close()
    }
}
