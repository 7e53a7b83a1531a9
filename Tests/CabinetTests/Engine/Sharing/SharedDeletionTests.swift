import Testing

@testable import Cabinet

@Suite("The deletions that a participant receives")
struct SharedDeletionTests {
    @Test("have the present names of their types, also of a record that left the share before the rename")
    func renamedType() async throws {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        let anna = try SharedZone.container(of: "_anna", service)
        let ben = try SharedZone.container(of: "_ben", service)
        try await anna.privateDatabase.save(RecordZone(zoneID: SharedZone.zoneID))
        let list = Record(recordType: "Lists", recordID: SharedZone.own("list"))
        var share = Share(rootRecord: list)
        share.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readWrite))
        let saved = try await anna.privateDatabase.save([list, share.record])
        try await SharedZone.accept(try Share(try #require(saved.last)), by: ben)
        for name in ["deleted", "moved"] {
            var item = Record(recordType: "Items", recordID: SharedZone.own(name))
            item.setParent(list.recordID)
            try await anna.privateDatabase.save(item)
        }
        let zoneID = SharedZone.shared("list", of: "_anna").zoneID
        let token = try await ben.sharedDatabase.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
        try await anna.privateDatabase.deleteRecord(withID: SharedZone.own("deleted"))
        var moved = try await anna.privateDatabase.record(for: SharedZone.own("moved"))
        moved.setParent(nil as RecordID?)
        try await anna.privateDatabase.save(moved)
        try await anna.privateDatabase.rename(SchemaPart("Items"), to: "Tasks")
        let deletions = try await ben.sharedDatabase.recordZoneChanges(inZoneWith: zoneID, since: token).deletions
        #expect(Set(deletions.map(\.recordID.recordName)) == ["deleted", "moved"])
        #expect(deletions.map(\.recordType) == ["Tasks", "Tasks"])
    }
}
