import Cabinet
import Foundation
import Testing

/// A store in memory in which Anna shares a hierarchy with Ben.
struct SharedSampleStore {
    static let zoneID = RecordZone.ID(zoneName: "Trips")
    static let shareID = id("share")

    let backend = MemoryBackend()
    let anna: Container
    let ben: Container

    static func id(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: zoneID) }

    /// A record of the zone as Ben names it.
    static func sharedID(_ name: String) -> RecordID {
        RecordID(recordName: name, zoneID: RecordZone.ID(zoneName: zoneID.zoneName, ownerName: "_anna"))
    }

    static func record(_ name: String, below parent: String? = nil) -> Record {
        var record = Record(recordType: "Stops", recordID: id(name))
        record.parent = parent.map { Reference(recordID: id($0), action: .none) }
        return record
    }

    /// A store with a shared root, a stop below it, and a stop that is not shared.
    init() async throws {
        anna = try SampleStore.container(over: backend)
        ben = try SampleStore.container(over: backend, user: "_ben")
        let database = anna.privateDatabase
        try await database.save(RecordZone(zoneID: Self.zoneID))
        let root = Self.record("root")
        var share = Share(rootRecord: root, shareID: Self.shareID)
        share.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readWrite))
        _ = try await database.modifyRecords(
            saving: [root, share.record, Self.record("stop", below: "root"), Self.record("other")], deleting: [])
        let url = try #require(try Share(try await database.record(for: Self.shareID)).url)
        try await ben.accept(try await ben.shareMetadata(for: url))
    }

    /// The names of the stops that a participant sees.
    static func names(for participant: Container) async throws -> [String] {
        let query = Query(recordType: "Stops")
        let results = try await participant.sharedDatabase.records(
            matching: query, inZoneWith: sharedID("").zoneID
        ).matchResults
        return results.map(\.0.recordName).sorted()
    }
}
