import Cabinet
import Foundation
import Testing

@testable import CabinetICloud

@Suite("Saving in iCloud")
struct SavingTests {
    @Test("compares versions also of a record whose system fields were forgotten")
    func withoutCache() async throws {
        let world = ICloudWorld()
        let (_, database, zone) = try await world.zone()
        let saved = try await database.save(zone.record("a", number: 1))
        // Another container knows the change tag alone.
        let other = try await world.container().privateDatabase
        var record = saved
        record["number"] = 2
        let changed = try await other.save(record)
        #expect(changed["number"] == 2)
        #expect(changed.recordChangeTag != saved.recordChangeTag)
        let conflict = await error { try await world.container().privateDatabase.save(record) }
        #expect(conflict?.code == .serverRecordChanged)
        #expect(conflict?.serverRecord?["number"] == 2)
        #expect(conflict?.ancestorRecord?["number"] == 1)
        try await other.deleteRecord(withID: record.recordID)
        #expect(await error { try await world.container().privateDatabase.save(record) }?.code == .unknownItem)
    }

    @Test("fails the other records of a zone that one fails in, and no other zone's")
    func zones() async throws {
        let world = ICloudWorld()
        let (_, database, zone) = try await world.zone()
        let other = try await database.save(RecordZone(zoneName: "Others"))
        try await database.save(zone.record("a"))
        let failure = await error {
            try await database.modifyRecords(
                saving: [zone.record("a"), zone.record("b"), other.record("c", number: 3)], deleting: [])
        }
        #expect(failure?.code == .partialFailure)
        #expect(failure?.partialErrorsByItemID[zone.record("a").recordID]?.code == .serverRecordChanged)
        #expect(failure?.partialErrorsByItemID[zone.record("b").recordID]?.code == .batchRequestFailed)
        #expect(failure?.partialErrorsByItemID.count == 2)
        #expect(try await database.record(for: other.record("c").recordID)["number"] == 3)
    }

    @Test("removes a field, with and without known system fields")
    func removal() async throws {
        let world = ICloudWorld()
        let (_, database, zone) = try await world.zone()
        for database in [database, try await world.container().privateDatabase] {
            for policy in RecordSavePolicy.allCases {
                var record = try await database.save(zone.record(UUID().uuidString, number: 1))
                record["number"] = nil as Int?
                try await database.save(record, savePolicy: policy)
                #expect(try await database.record(for: record.recordID).allKeys().isEmpty)
            }
        }
    }

    @Test("refuses a delete rule that CloudKit lacks, with the record and the field")
    func deleteRules() async throws {
        let (_, database, zone) = try await ICloudWorld().zone()
        let target = try await database.save(zone.record("a"))
        var record = zone.record("b")
        record["item"] = Reference(record: target, action: .deny)
        let refusal = await error { try await database.save(record) }
        #expect(refusal?.code == .serverRejectedRequest)
        #expect(refusal?.message == "\(CloudKitGap.deleteRules.rawValue) The reference has 'deny'.")
        #expect(refusal?.recordID == record.recordID)
        #expect(refusal?.fieldKey == "item")
    }

    @Test("refuses names on which CloudKit ends the program")
    func names() async throws {
        let database = try await ICloudWorld().container().privateDatabase
        for id in [RecordID(recordName: ""), RecordID(recordName: "a", zoneID: .init(zoneName: ""))] {
            let record = Record(recordType: "Items", recordID: id)
            #expect(await error { try await database.save(record) }?.code == .invalidArguments)
            #expect(await error { try await database.record(for: id) }?.code == .invalidArguments)
            #expect(await error { try await database.deleteRecord(withID: id) }?.code == .invalidArguments)
        }
        let record = Record(recordType: "no type")
        #expect(await error { try await database.save(record) }?.code == .invalidArguments)
        #expect(await error { try await database.save(RecordZone(zoneName: "")) }?.code == .invalidArguments)
        let query = Query(recordType: "no type")
        #expect(await error { try await database.records(matching: query) }?.code == .invalidArguments)
    }
}
