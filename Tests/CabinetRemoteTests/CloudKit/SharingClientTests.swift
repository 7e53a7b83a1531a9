import Cabinet
import CabinetRemote
import CabinetServer
import CabinetWire
import Foundation
import Testing

/// Two users of a server, each with a web token, through real sockets.
@Suite("Shares through a client of CloudKit Web Services")
struct SharingClientTests {
    private static let zoneID = RecordZone.ID(zoneName: "Lists")

    private func record(_ type: String, _ name: String, below parent: Record? = nil) -> Record {
        var record = Record(recordType: type, recordID: RecordID(recordName: name, zoneID: Self.zoneID))
        record["name"] = name
        if let parent { record.setParent(parent) }
        return record
    }

    /// Adds a second user, and returns its client and its record name.
    private func addBen(_ world: CloudKitWorld) async throws -> (container: Container, name: String) {
        let ben = try await world.accounts.addUser("ben", email: "ben@example.com")
        let token = try await world.accounts.signIn("ben")
        let client = try world.client(
            .webToken(token, apiToken: world.apiToken, userRecordName: ben.userRecordName) { _ in })
        return (client, ben.userRecordName)
    }

    @Test("a hierarchy is shared, found by its URL, accepted, worked on and left", .timeLimit(.minutes(2)))
    func hierarchy() async throws {
        let world = try await CloudKitWorld()
        try await world.start()
        let ann = try world.userClient()
        let (ben, _) = try await addBen(world)
        let own = ann.privateDatabase
        try await own.save(RecordZone(zoneID: Self.zoneID))
        let list = record("Lists", "list")
        _ = try await own.modifyRecords(
            saving: [list, record("Items", "milk", below: list), record("Items", "diary")], deleting: [])
        var share = Share(rootRecord: try await own.record(for: list.recordID))
        share[Share.SystemFieldKey.title] = "Groceries"
        var participant = try await ann.shareParticipant(forEmailAddress: "ben@example.com")
        participant.permission = .readWrite
        share.addParticipant(participant)
        let root = try await own.record(for: list.recordID)
        let (saved, _) = try await own.modifyRecords(saving: [root, share.record], deleting: [])
        share = try Share(#require(saved[share.recordID]).get())
        #expect(share.rootRecordID == list.recordID)
        #expect(try saved[list.recordID]?.get().share?.recordID == share.recordID)
        // The returned root has the tag that it has after it was shared.
        var changed = try #require(try saved[list.recordID]?.get())
        changed["name"] = "Groceries"
        try await own.save(changed)

        let url = try #require(share.url)
        #expect(url.pathComponents.dropLast().last == "share" && url.scheme == "http")
        let metadata = try await ben.shareMetadata(
            for: url, shouldFetchRootRecord: true, rootRecordDesiredKeys: ["name"])
        #expect(metadata.rootRecord?["name"] as? String == "Groceries")
        #expect(metadata.share[Share.SystemFieldKey.title] as? String == "Groceries")
        #expect(metadata.participantStatus == .pending && metadata.participantPermission == .readWrite)
        #expect(metadata.hierarchicalRootRecordID?.recordName == "list")
        #expect(try await ann.shareMetadata(for: url).participantRole == .owner)
        try await ben.accept(metadata)
        let shared = ben.sharedDatabase
        #expect(try await shared.allRecordZones().map(\.zoneID) == [metadata.zoneID])
        let found = try await shared.records(matching: Query(recordType: "Items"), inZoneWith: metadata.zoneID)
        #expect(found.matchResults.map(\.0.recordName) == ["milk"])
        let page = try await shared.recordZoneChanges(inZoneWith: metadata.zoneID, since: nil)
        #expect(
            Set(page.modificationResultsByID.keys.map(\.recordName)) == ["list", "milk", share.recordID.recordName])
        var milk = try #require(try found.matchResults.first?.1.get())
        milk["name"] = "Oat milk"
        try await shared.save(milk)
        #expect(
            try await own.record(for: RecordID(recordName: "milk", zoneID: Self.zoneID))["name"] as? String
                == "Oat milk")
        let theirs = try await shared.record(
            for: RecordID(recordName: share.recordID.recordName, zoneID: metadata.zoneID))
        #expect(try Share(theirs).participants.map(\.acceptanceStatus) == [.accepted, .accepted])
        try await shared.deleteRecord(withID: theirs.recordID)
        #expect(try await shared.allRecordZones().isEmpty)
        #expect(try await Share(own.record(for: share.recordID)).participants.map(\.role) == [.owner])
        await #expect(throws: CabinetError(.permissionFailure)) { try await ben.shareMetadata(for: url) }
        for client in [ann, ben] { await client.close() }
        await world.stop()
    }

    @Test(
        "a zone is shared, changed by its tag and unshared, and its assets reach participants", .timeLimit(.minutes(2)))
    func zone() async throws {
        let world = try await CloudKitWorld()
        try await world.start()
        let ann = try world.userClient()
        let (ben, name) = try await addBen(world)
        let own = ann.privateDatabase
        try await own.save(RecordZone(zoneID: Self.zoneID))
        try await own.save(record("Items", "milk"))
        var share = Share(recordZoneID: Self.zoneID)
        share.addParticipant(Share.Participant(userRecordName: name, permission: .readWrite))
        share = try await own.save(share)
        let stale = share
        let metadata = try await ben.shareMetadata(for: try #require(share.url))
        #expect(metadata.hierarchicalRootRecordID == nil && metadata.rootRecord == nil)
        let results = try await ben.accept([metadata])
        #expect(try results[metadata]?.get().participants.count == 2)
        var late = stale
        late.publicPermission = .readOnly
        await #expect(throws: CabinetError(.serverRecordChanged)) { try await own.save(late) }

        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(repeating: 7, count: 3_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var photo = Record(recordType: "Photos", recordID: RecordID(recordName: "p", zoneID: metadata.zoneID))
        photo["image"] = Asset(fileURL: file)
        try await ben.sharedDatabase.save(photo)
        let fetched = try await own.record(for: RecordID(recordName: "p", zoneID: Self.zoneID))
        let asset = try #require(fetched["image"] as? Asset)
        #expect(try await asset.data().count == 3_000)

        share = try await own.share(forZoneWith: Self.zoneID)
        share.removeParticipant(try #require(share.participant(for: RecordID(recordName: name))))
        try await own.save(share)
        #expect(try await ben.sharedDatabase.allRecordZones().isEmpty)
        try await own.deleteRecord(withID: share.recordID)
        await #expect(throws: CabinetError(.unknownItem)) { try await own.share(forZoneWith: Self.zoneID) }
        for client in [ann, ben] { await client.close() }
        await world.stop()
    }

    @Test("only users resolve shares: no server's key, and no program without a user", .timeLimit(.minutes(1)))
    func credentials() async throws {
        let world = try await CloudKitWorld()
        try await world.start()
        let url = try #require(URL(string: "https://example.com/share/AAAAAAAAAAAAAAAAAAAAAA"))
        let program = try world.client(.webToken(nil, apiToken: world.apiToken))
        for client in [try world.keyClient(), program] {
            await #expect(throws: CabinetError(.notAuthenticated)) { try await client.shareMetadata(for: url) }
            await client.close()
        }
        await world.stop()
    }
}
