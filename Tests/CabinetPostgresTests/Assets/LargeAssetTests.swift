import Cabinet
import CabinetTools
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// Large assets, and equal ones.
@Suite("Large and shared assets", .timeLimit(.minutes(15)))
struct LargeAssetTests {
    @Test("20 MB are saved and fetched a megabyte at a time, in a few round trips for each")
    func roundTrips() async throws {
        let store = try await AssetStore()
        try await store.database.save(store.note("small", Asset(data: Data([1]))))
        let bytes = AssetStore.bytes(20_000_000)
        let file = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString)")
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var trips = store.backend.pool.roundTrips
        try await store.database.save(store.note("large", Asset(fileURL: file)))
        let saving = store.backend.pool.roundTrips - trips
        #expect(try await store.counts() == ["21", "2", "0"])
        #expect(try await store.sql("SELECT max(length(bytes))::text FROM TABLE_asset_part") == [["1048576"]])
        #expect(saving <= 20 * 5, "\(saving)")

        let other = try await Stores.backend(store.configuration)
        let database = try Container(identifier: "com.example.assets", backend: other).publicDatabase
        _ = try await database.record(for: RecordID(recordName: "small"))
        trips = other.pool.roundTrips
        let fetched: Asset? = try await database.record(for: RecordID(recordName: "large"))["image"]
        #expect(other.pool.roundTrips - trips <= 2 * 20 + 10, "\(other.pool.roundTrips - trips)")
        #expect(try await fetched?.data() == bytes)
        await other.close()
        await store.close()
    }

    @Test("A file of 20 MiB takes hardly more memory than one of 1 MiB")
    func memory() async throws {
        let connection = try await PostgresServer.shared.value.connection()
        var kibibytes: [Int] = []
        for step in ["small", "medium"] {
            let schema = Stores.configuration().schema
            let (output, errors, status) = try SavingProcess([connection, "assets", step], schema: schema).finish()
            #expect(status == 0, "\(errors)")
            kibibytes.append(try #require(Int(String(decoding: output, as: UTF8.self).dropLast())))
        }
        #expect(kibibytes[1] - kibibytes[0] < 12 << 10, "\(kibibytes)")
    }

    @Test("100 records that share an asset store its bytes once, until the last of them is deleted")
    func shared() async throws {
        let store = try await AssetStore()
        let image = Asset(data: AssetStore.bytes(200_000))
        let ids = (0..<100).map { RecordID(recordName: "r\($0)") }
        _ = try await store.database.modifyRecords(
            saving: ids.prefix(50).map { store.note($0.recordName, image) }, deleting: [])
        // The same bytes from another source.
        let copy = Asset(data: AssetStore.bytes(200_000))
        _ = try await store.database.modifyRecords(
            saving: ids.suffix(50).map { store.note($0.recordName, copy) }, deleting: [])
        #expect(try await store.counts() == ["1", "1", "0"])
        _ = try await store.database.modifyRecords(saving: [], deleting: Array(ids.dropLast()))
        #expect(try await store.counts() == ["1", "1", "0"])
        #expect(try await store.image(of: "r99") == AssetStore.bytes(200_000))
        try await store.database.deleteRecord(withID: ids[99])
        #expect(try await store.counts() == ["0", "0", "0"])
        #expect(try await store.container.verify().findings == [])
        await store.close()
    }
}
