import Cabinet
import Foundation
import Testing

@testable import CabinetCloudKit
@testable import CabinetICloud

@Suite("A cache of iCloud's service is bounded")
struct CacheBoundTests {
    @Test("system fields")
    func systemFields() async throws {
        let world = ICloudWorld()
        let (_, database, zone) = try await world.zone()
        _ = try await database.modifyRecords(saving: (0..<100).map { zone.record("\($0)") }, deleting: [])
        let ids = (0..<100).map { CKRecord.ID(recordName: "\($0)", zoneID: CKRecordZone.ID(zoneName: "Lists")) }
        let objects = try await world.cloud.privateCloudDatabase.records(for: ids)
        let cache = SystemFieldsCache(limit: 20_000)
        for object in objects.values.compactMap({ try? $0.get() }) {
            let id = RecordID(object.recordID, user: "_anna")
            cache.store(object, as: id, in: .private)
            let tag = try #require(object.recordChangeTag)
            #expect(cache.object(id, tag, in: .private)?.recordChangeTag == tag)
            #expect(cache.object(id, tag, in: .public) == nil)
            #expect(cache.size > 0 && cache.size <= 20_000)
        }
    }

    @Test("files of assets")
    func files() throws {
        let assets = ICloudAssets()
        defer { assets.remove() }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        var kept: [StoredAsset] = []
        for number in 0..<ICloudAssets.maximumCount + 10 {
            try Data("\(number)".utf8).write(to: file)
            kept.append(try assets.keep(file, in: .private, for: UUID()))
            try FileManager.default.removeItem(at: file)
        }
        #expect(assets.count == ICloudAssets.maximumCount)
        #expect(try assets.bytes(of: kept[0], in: 0..<1, .private) == nil)
        #expect(try assets.bytes(of: kept[10], in: 0..<2, .private) == Data("10".utf8))
        #expect(try assets.bytes(of: kept[10], in: 0..<2, .public) == nil)
    }

    @Test("files of assets, with those of the latest responses kept together")
    func responses() throws {
        let assets = ICloudAssets()
        defer { assets.remove() }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        func keep(_ name: String, for response: UUID) throws -> StoredAsset {
            try Data(name.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            return try assets.keep(file, in: .private, for: response)
        }
        let response = UUID()
        let kept = try (0..<ICloudAssets.maximumCount + 10).map { try keep("\($0)", for: response) }
        for _ in 1..<ICloudAssets.latestCount { _ = try keep("0", for: UUID()) }
        #expect(assets.count == kept.count)
        for asset in kept { #expect(try assets.bytes(of: asset, in: 0..<1, .private) != nil) }
        _ = try keep("another", for: UUID())
        #expect(assets.count == 2)
        #expect(try assets.bytes(of: kept[0], in: 0..<1, .private) == Data("0".utf8))
        #expect(try assets.bytes(of: kept[1], in: 0..<1, .private) == nil)
    }

    @Test("files of assets, and a record with more of them has each")
    func largeRecord() async throws {
        let world = ICloudWorld()
        let (_, database, zone) = try await world.zone()
        var record = zone.record("album")
        record["photos"] = (0..<ICloudAssets.maximumCount + 4).map { Asset(data: Data("photo \($0)".utf8)) }
        try await database.save(record)
        let other = try await Container(iCloud: world.otherDevice()).privateDatabase
        let photos: [Asset] = try await other.record(for: record.recordID)["photos"] ?? []
        #expect(photos.count == ICloudAssets.maximumCount + 4)
        for (number, photo) in photos.enumerated() { #expect(try await photo.data() == Data("photo \(number)".utf8)) }
    }
}
