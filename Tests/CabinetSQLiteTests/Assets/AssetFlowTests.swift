import Cabinet
import Foundation
import Testing

@testable import CabinetSQLite

/// Assets as a program saves and fetches them, and their files in the folders.
@Suite(.timeLimit(.minutes(15))) struct AssetFlowTests {
    private let store = Store()
    private let container: Container
    private static let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 17) })
    private let bytes = Self.bytes

    init() throws {
        container = try Container(
            identifier: "org.cabinet.assets", backend: store.backend, account: Account(userRecordName: "_anna"))
    }

    /// A file of the program, which is removed at the end of the test.
    private func file(_ bytes: Data) throws -> URL {
        try FileManager.default.createDirectory(at: store.directory, withIntermediateDirectories: true)
        let file = store.directory.appendingPathComponent("\(UUID().uuidString).png")
        try bytes.write(to: file)
        return file
    }

    private func note(_ name: String, _ image: Asset?) -> Record {
        var note = Record(recordType: "Notes", recordID: RecordID(recordName: name))
        note["image"] = image
        return note
    }

    private var stored: [String] { store.assetFiles().filter { !$0.hasPrefix("sessions") } }

    @Test func aPictureIsSavedReplacedAndDeleted() async throws {
        let database = container.privateDatabase
        let (first, second) = (try file(bytes), try file(bytes + [1]))
        var note = try await database.save(note("a", Asset(fileURL: first)))
        let saved: Asset = try #require(note["image"])
        #expect(try await saved.data() == bytes)
        #expect(try identity(first).links == 1)
        #expect(stored.count == 2)
        // The given file is a further name of the store's.
        let given = try #require(saved.fileURL)
        #expect(try identity(given).links == 3)
        note["image"] = Asset(fileURL: second)
        note = try await database.save(note)
        try await database.deleteRecord(withID: note.recordID)
        #expect(try await store.eventually { store.assetFiles().filter { $0.hasPrefix("private-_anna") }.isEmpty })
        #expect(try await saved.data() == bytes)
        await container.close()
        #expect(store.assetFiles().isEmpty)
        #expect(try Data(contentsOf: first) == bytes)
    }

    @Test func manyRecordsShareOneFile() async throws {
        let database = container.privateDatabase
        let image = Asset(fileURL: try file(bytes))
        let names = (0..<1000).map { "r\($0)" }
        for start in stride(from: 0, to: names.count, by: 250) {
            _ = try await database.modifyRecords(
                saving: names[start..<start + 250].map { note($0, image) }, deleting: [])
        }
        #expect(stored.count == 2)
        let ids = names.map { RecordID(recordName: $0) }
        _ = try await database.modifyRecords(saving: [], deleting: ids.dropLast())
        try await store.backend.removeAbandonedAssets(from: .private(owner: "_anna"))
        #expect(stored.count == 2)
        let last: Asset? = try await database.record(for: ids[999])["image"]
        #expect(try await last?.data() == bytes)
        try await database.deleteRecord(withID: ids[999])
        await container.close()
        #expect(store.assetFiles().isEmpty)
    }

    /// A picture that moves from one database to another is not copied.
    @Test func aFetchedPictureIsSavedElsewhere() async throws {
        let large = bytes + Data(count: 1 << 20)
        try await container.privateDatabase.save(note("a", Asset(fileURL: file(large))))
        let image: Asset = try #require(
            try await container.privateDatabase.record(for: RecordID(recordName: "a"))["image"])
        try await container.publicDatabase.save(note("b", image))
        try await container.publicDatabase.save(note("c", Asset(fileURL: #require(image.fileURL))))
        #expect(stored.count == 3)
        let stored = StoredAsset(checksum: try #require(image.checksum), size: Int64(large.count))
        #expect(try identity(store.file(stored)).number == identity(store.file(stored, in: "private-_anna")).number)
        try await container.privateDatabase.deleteRecord(withID: RecordID(recordName: "a"))
        let copy: Asset? = try await container.publicDatabase.record(for: RecordID(recordName: "c"))["image"]
        #expect(try await copy?.data() == large)
    }

    /// A zone is deleted with its pictures.
    @Test func aDeletedZoneLeavesNothing() async throws {
        let database = container.privateDatabase
        let zone = try await database.save(RecordZone(zoneName: "Travel"))
        var note = Record(recordType: "Notes", recordID: RecordID(recordName: "a", zoneID: zone.zoneID))
        note["image"] = Asset(data: bytes)
        note["pages"] = [Asset(data: bytes + [1]), Asset(data: bytes + [2])]
        try await database.save(note)
        try await database.save(self.note("b", Asset(data: bytes)))
        #expect(stored.count == 6)
        try await database.deleteRecordZone(withID: zone.zoneID)
        await container.close()
        #expect(store.assetFiles().count == 2)
    }

    /// Existing files can be read even if no files can be created.
    @Test func withoutASessionBytesAreCopiedElsewhere() async throws {
        try await container.publicDatabase.save(note("a", Asset(data: bytes)))
        await container.close()
        let sessions = store.assetFolder.appendingPathComponent("sessions")
        try FileManager.default.removeItem(at: sessions)
        try Data().write(to: sessions)
        let other = try Container(identifier: "org.cabinet.assets", backend: SQLiteBackend(directory: store.directory))
        let image: Asset = try #require(
            try await other.publicDatabase.record(for: RecordID(recordName: "a"))["image"])
        #expect(try await image.data() == bytes)
        #expect(image.fileURL?.path.hasPrefix(store.directory.path) == false)
        let error = await #expect(throws: CabinetError.self) {
            try await other.publicDatabase.save(note("b", Asset(data: bytes + [1])))
        }
        #expect(error?.code == .badContainer)
        await other.close()
    }

    /// A lost file is reported, and everything else stays readable.
    @Test func aLostAssetHasNoFile() async throws {
        let database = container.publicDatabase
        let lost: Asset = try #require(try await database.save(note("a", Asset(data: bytes)))["image"])
        try await database.save(note("b", Asset(data: bytes + [1])))
        let stored = StoredAsset(checksum: try #require(lost.checksum), size: Int64(bytes.count))
        await container.close()
        try FileManager.default.removeItem(at: store.file(stored))
        let other = try Container(identifier: "org.cabinet.assets", backend: SQLiteBackend(directory: store.directory))
        let notes = try await other.publicDatabase.allRecords(matching: Query(recordType: "Notes"))
        let images = notes.compactMap { note -> Asset? in note["image"] }
        #expect(images.map { $0.fileURL == nil } == [true, false])
        #expect(try await images[1].data() == bytes + [1])
        let error = await #expect(throws: CabinetError.self) { try await images[0].data() }
        #expect(error?.code == .assetNotAvailable)
        await other.close()
    }
}
