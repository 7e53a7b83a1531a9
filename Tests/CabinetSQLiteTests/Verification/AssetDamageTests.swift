import Cabinet
import CabinetTools
import Foundation
import Testing

@testable import CabinetSQLite

/// Damage of assets: lost bytes are reported with a recommendation, unused ones are removed, and everything else can be
/// read.
@Suite(.timeLimit(.minutes(15))) struct AssetDamageTests {
    private static let sizes = [0, 5, 3_000_000]

    private static let bytes = Dictionary(
        uniqueKeysWithValues: sizes.map { size in
            (size, Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }))
        })

    private func bytes(_ size: Int) -> Data { Self.bytes[size] ?? Data() }

    /// A closed store with three assets, one of them in a list.
    private func makeStore() async throws -> (Store, assets: [URL]) {
        let store = Store()
        let database = try store.container().privateDatabase
        for size in Self.sizes {
            var note = Record(recordType: "Notes", recordID: RecordID(recordName: "note\(size)"))
            note[size == 5 ? "files" : "file"] = size == 5 ? [Asset(data: bytes(size))] : Asset(data: bytes(size))
            try await database.save(note)
        }
        let checksums = try await store.backend.read(.private(owner: DamagedStore.user)) {
            try await $0.assets(after: nil, limit: 10).sorted { $0.size < $1.size }.map(\.checksum)
        }
        await store.backend.close()
        let folder = store.directory.appendingPathComponent("assets/private-_user")
        let urls = checksums.map { checksum in
            let name = checksum.description
            return folder.appendingPathComponent(String(name.prefix(2))).appendingPathComponent(name)
        }
        return (store, urls)
    }

    /// The same store, opened again.
    private func reopened(_ store: Store) throws -> Container {
        try Container(
            identifier: "org.cabinet.verification", backend: SQLiteBackend(directory: store.directory),
            account: Account(userRecordName: DamagedStore.user))
    }

    /// Closes the store, which is then removed.
    private func close(_ container: Container, _ store: Store) async {
        await container.close()
        withExtendedLifetime(store) {}
    }

    private func expectReadable(_ size: Int, _ container: Container) async throws {
        let note = try await container.privateDatabase.record(for: RecordID(recordName: "note\(size)"))
        let asset = (note["file"] as? Asset) ?? (note["files"] as? [Asset])?.first
        #expect(try await asset?.data() == bytes(size))
    }

    /// As the finding of lost bytes recommends.
    @Test(arguments: [true, false])
    func savingTheBytesAgainReplacesThem(inTheSameRecord isSame: Bool) async throws {
        let (store, assets) = try await makeStore()
        try FileManager.default.removeItem(at: assets[2])
        let container = try reopened(store)
        #expect(try await container.verify().findings.map(\.kind) == [.assetDamaged])
        let name = isSame ? "note3000000" : "other"
        let found = try await container.privateDatabase.records(for: [RecordID(recordName: name)]).values.first
        var note = (try? found?.get()) ?? Record(recordType: "Notes", recordID: RecordID(recordName: name))
        note["file"] = Asset(data: bytes(3_000_000))
        try await container.privateDatabase.save(note)
        #expect(try await container.verify().findings.map(\.description) == [])
        try await expectReadable(3_000_000, container)
        await close(container, store)
    }

    @Test func healthy() async throws {
        let (store, _) = try await makeStore()
        let container = try reopened(store)
        let report = try await container.verify(repairing: true)
        #expect(report.findings.map(\.description) == [])
        #expect(report.counts.assets == 3)
        #expect(report.counts.bytes == 3_000_005)
        for size in Self.sizes { try await expectReadable(size, container) }
        await close(container, store)
    }

    @Test(arguments: [1, 2]) func savingTheOriginalAgainRepairs(_ index: Int) async throws {
        let (store, urls) = try await makeStore()
        let size = Self.sizes[index]
        var data = try Data(contentsOf: urls[index])
        data[size / 2] ^= 1
        try FileManager.default.removeItem(at: urls[index])
        try data.write(to: urls[index])
        let container = try reopened(store)
        await #expect(throws: CabinetError.self) { try await expectReadable(size, container) }
        var copy = Record(recordType: "Notes")
        copy["file"] = Asset(data: bytes(size))
        try await container.privateDatabase.save(copy)
        for size in Self.sizes { try await expectReadable(size, container) }
        #expect(try await container.verify().findings == [])
        await close(container, store)
    }

    @Test func aFlippedByte() async throws {
        let (store, urls) = try await makeStore()
        var data = try Data(contentsOf: urls[2])
        data[2_500_000] ^= 1
        try FileManager.default.removeItem(at: urls[2])
        try data.write(to: urls[2])
        let container = try reopened(store)
        for isRepairing in [false, true, false] {
            let report = try await container.verify(repairing: isRepairing)
            #expect(report.findings.map(\.kind) == [.assetDamaged])
            #expect(report.findings.first?.recordID?.recordName == "note3000000")
            #expect(report.findings.first?.fieldKey == "file")
            #expect(report.findings.first?.isRepairable == false)
        }
        await #expect(throws: CabinetError.self) { try await expectReadable(3_000_000, container) }
        for size in [0, 5] { try await expectReadable(size, container) }
        await close(container, store)
    }

    @Test func aLostFileIsRestoredByASave() async throws {
        let (store, urls) = try await makeStore()
        try FileManager.default.removeItem(at: urls[1])
        let container = try reopened(store)
        let report = try await container.verify(repairing: true)
        #expect(report.findings.map(\.kind) == [.assetDamaged], "\(report)")
        #expect(report.findings.first?.fieldKey == "files")
        for size in [0, 3_000_000] { try await expectReadable(size, container) }
        await close(container, store)
    }

    @Test func anAssetThatTheStoreDoesNotKnow() async throws {
        let (store, urls) = try await makeStore()
        try store.damage("DELETE FROM cabinet_asset WHERE size = 5")
        let container = try reopened(store)
        let report = try await container.verify()
        #expect(report.findings.map(\.kind) == [.assetMissing], "\(report)")
        #expect(report.findings.first?.checksum?.description == urls[1].lastPathComponent)
        await close(container, store)
    }

    @Test func anAssetThatNoRecordHas() async throws {
        let (store, urls) = try await makeStore()
        try store.damage(
            """
            DELETE FROM "Notes" WHERE "___recordID" = 'note3000000';
            DELETE FROM cabinet_record WHERE recordName = 'note3000000'
            """)
        let container = try reopened(store)
        #expect(try await container.verify().findings.map(\.kind) == [.assetUnused])
        #expect(FileManager.default.fileExists(atPath: urls[2].path))
        let report = try await container.verify(repairing: true)
        #expect(report.isClean && report.findings.count == 1, "\(report)")
        #expect(!FileManager.default.fileExists(atPath: urls[2].path))
        #expect(try await container.verify().findings.isEmpty)
        for size in [0, 5] { try await expectReadable(size, container) }
        await close(container, store)
    }

    /// The store's list of an asset's records may be wrong: bytes that a record has are never removed.
    @Test func anAssetThatOnlyTheIndexLost() async throws {
        let (store, _) = try await makeStore()
        try store.damage("DELETE FROM cabinet_list_asset")
        let container = try reopened(store)
        #expect(Set(try await container.verify().findings.map(\.kind)) == [.assetUse, .storage])
        let report = try await container.verify(repairing: true)
        #expect(report.isClean, "\(report)")
        #expect(try await container.verify().findings.isEmpty)
        for size in Self.sizes { try await expectReadable(size, container) }
        await close(container, store)
    }

    /// Sizes that do not add up.
    @Test func hugeSizes() async throws {
        let (store, _) = try await makeStore()
        try store.damage("UPDATE cabinet_asset SET size = 9223372036854775807")
        try store.damage(
            #"UPDATE "Notes" SET "file" = replace("file", ':3000000', ':9223372036854775807') WHERE "file" NOT NULL"#)
        let container = try reopened(store)
        let target = try Container(
            identifier: "org.cabinet.verification", backend: MemoryBackend(),
            account: Account(userRecordName: DamagedStore.user))
        let error = await #expect(throws: CabinetError.self) { try await container.copy(to: target) }
        #expect(error?.code == .assetNotAvailable, "\(error.debugDescription)")
        await close(container, store)
    }

    @Test func leftoversOfAProcess() async throws {
        let (store, urls) = try await makeStore()
        let left = urls[1].deletingLastPathComponent().appendingPathComponent(String(repeating: "0", count: 64))
        try Data([1]).write(to: left)
        let container = try reopened(store)
        let report = try await container.verify(repairing: true)
        #expect(report.findings.map(\.description) == [])
        #expect(try await container.verify().isClean)
        await close(container, store)
    }
}
