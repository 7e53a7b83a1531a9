import Cabinet
import Foundation
import Testing

@Suite("The article about sharing: its programs run")
struct Sharing {
    @Test func sharing() async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        func container(_ user: String) throws -> Container {
            try Container(
                identifier: "com.example.sharing", service: service, account: Account(userRecordName: user))
        }
        let (anna, ben) = (try container("_anna"), try container("_ben"))
        let zone = try await anna.privateDatabase.save(RecordZone(zoneName: "Lists"))
        try await anna.privateDatabase.save(
            Record(recordType: "Items", recordID: RecordID(recordName: "milk", zoneID: zone.zoneID)))
        let sent: URL?
        do {
            // snippet: share
            var share = Share(recordZoneID: zone.zoneID)
            share[Share.SystemFieldKey.title] = "Groceries"
            share.addParticipant(
                Share.Participant(userRecordName: "_ben", permission: .readWrite))
            share = try await anna.privateDatabase.save(share)
            let url = share.url
            // end
            sent = url
        }
        let url = try #require(sent)
        // snippet: accept
        let metadata = try await ben.shareMetadata(for: url)
        try await ben.accept(metadata)
        let lists = ben.sharedDatabase.inZone(metadata.zoneID)
        let items = try await lists.allRecords(
            matching: Query(recordType: "Items"))
        // end
        #expect(items.count == 1)
        // snippet: leave
        let shareID = try await ben.sharedDatabase
            .share(forZoneWith: metadata.zoneID).recordID
        try await ben.sharedDatabase.deleteRecord(withID: shareID)
        // end
        #expect(try await ben.sharedDatabase.allRecordZones() == [])
    }
    @Test func hierarchies() async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        func container(_ user: String) throws -> Container {
            try Container(
                identifier: "com.example.sharing", service: service, account: Account(userRecordName: user))
        }
        let (anna, ben) = (try container("_anna"), try container("_ben"))
        let zone = try await anna.privateDatabase.save(RecordZone(zoneName: "Lists"))
        let list = Record(
            recordType: "Lists", recordID: RecordID(recordName: "list", zoneID: zone.zoneID))
        try await anna.privateDatabase.save(list)
        let sent: URL?
        do {
            let list = try await anna.privateDatabase.record(for: list.recordID)
            // snippet: root
            var item = Record(
                recordType: "Items",
                recordID: RecordID(recordName: "milk", zoneID: zone.zoneID))
            item.setParent(list)
            var share = Share(rootRecord: list)
            share.addParticipant(Share.Participant(userRecordName: "_ben"))
            let (saved, _) = try await anna.privateDatabase.modifyRecords(
                saving: [list, item, share.record], deleting: [])
            if let result = saved[share.recordID] {
                share = try Share(result.get())
            }
            // end
            sent = share.url
        }
        let metadata = try await ben.shareMetadata(for: try #require(sent))
        try await ben.accept(metadata)
        #expect(metadata.hierarchicalRootRecordID?.recordName == "list")
        let items = try await ben.sharedDatabase.allRecords(
            matching: Query(recordType: "Items"), inZoneWith: metadata.zoneID)
        #expect(items.map(\.recordID.recordName) == ["milk"])
    }
}
