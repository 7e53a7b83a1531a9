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
}
