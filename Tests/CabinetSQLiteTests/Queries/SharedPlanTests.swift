import Cabinet
import CabinetSQLite
import Foundation
import StorageTestSupport
import Testing

@Suite("Plans of participants")
struct SharedPlanTests {
    @Test("A query finds records by its own condition, and not by the share of all of them")
    func plan() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plans-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let service = try LocalDatabaseService(backend: SQLiteBackend(directory: folder))
        func container(_ user: String) throws -> Container {
            try Container(
                identifier: "com.example.plans", service: service, account: Account(userRecordName: user))
        }
        let (anna, ben) = (try container("_anna"), try container("_ben"))
        let zone = try await anna.privateDatabase.save(RecordZone(zoneName: "Lists"))
        func id(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: zone.zoneID) }
        let root = Record(recordType: "Lists", recordID: id("root"))
        var share = Share(rootRecord: root, shareID: id("share"))
        share.addParticipant(Share.Participant(userRecordName: "_ben"))
        var item = Record(recordType: "Items", recordID: id("milk"))
        item["list"] = Reference(record: root, action: .deleteSelf)
        item.parent = Reference(record: root, action: .none)
        _ = try await anna.privateDatabase.modifyRecords(saving: [root, share.record, item], deleting: [])
        let saved = try Share(try await anna.privateDatabase.record(for: id("share")))
        try await ben.accept(try await ben.shareMetadata(for: try #require(saved.url)))

        let sharedID = RecordZone.ID(zoneName: "Lists", ownerName: "_anna")
        let list = Reference(recordID: RecordID(recordName: "root", zoneID: sharedID), action: .none)
        let query = Query(recordType: "Items", filter: .field("list") == list, sortedBy: ["number"])
        let own = Query(
            recordType: "Items", filter: .field("list") == Reference(record: root, action: .none), sortedBy: ["number"])
        item["number"] = 3
        _ = try await anna.privateDatabase.modifyRecords(saving: [item], deleting: [], savePolicy: .allKeys)
        let owner = try await anna.privateDatabase.explain(own, inZoneWith: zone.zoneID)
        let participant = try await ben.sharedDatabase.explain(query, inZoneWith: sharedID)
        #expect(participant.access == owner.access)
        await service.close()
    }
}
