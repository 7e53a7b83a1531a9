import Cabinet
import Foundation
import Testing

@testable import CabinetWire

@Suite("A client of CloudKit Web Services and a value of a later version")
struct UnreadableAnswerTests {
    /// A database of a client, in whose answers a text is another one, with two records.
    private func database(_ text: String, is other: String) async throws -> Database {
        let store = try CloudKitStore()
        let zone = try await store.container.privateDatabase.save(RecordZone(zoneName: "Lists"))
        for name in ["Milk", "Bread"] {
            var record = Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zone.zoneID))
            (record["name"], record["number"]) = (name, 1)
            try await store.container.privateDatabase.save(record)
        }
        let loopback = CloudKitLoopback(
            base: store.container.service,
            change: { _, respond in
                var response = await respond()
                let body = String(decoding: response.body, as: UTF8.self)
                response.body = Array(body.replacing(text, with: other).utf8)
                return response
            })
        return store.container.over(loopback).privateDatabase
    }

    private let zoneID = RecordZone.ID(zoneName: "Lists")
    private var ids: [RecordID] { ["Milk", "Bread"].map { RecordID(recordName: $0, zoneID: zoneID) } }

    private func changes(_ database: Database) async throws -> [RecordID: Record] {
        try await database.recordZoneChanges(inZoneWith: zoneID, since: nil).modificationResultsByID
            .mapValues { try $0.get().record }
    }

    @Test("reads an encrypted value that the service answers in the clear")
    func encrypted() async throws {
        let database = try await database(
            #"{"value":"Milk","type":"STRING"}"#, is: #"{"value":"Milk","type":"STRING","isEncrypted":true}"#)
        let query = Query(recordType: "Items", filter: .field("name") == "Milk")
        for record in [
            try await database.record(for: ids[0]), try await changes(database)[ids[0]],
            try await database.allRecords(matching: query, inZoneWith: zoneID).first,
        ] {
            #expect(record?.encryptedValues["name"] == "Milk")
            let found = try #require(record)
            #expect(found["name"] == nil)
        }
    }

    @Test("leaves the value out of changes and saves, and names it in look-ups of its record")
    func unknownType() async throws {
        let database = try await database(
            #"{"value":"Milk","type":"STRING"}"#, is: #"{"value":"Milk","type":"LATER"}"#)
        let changes = try await changes(database)
        #expect(changes[ids[0]]?["name"] == nil && changes[ids[0]]?["number"] == 1)
        #expect(changes[ids[1]]?["name"] == "Bread")
        let found = try await database.records(for: ids)
        guard case .failure(let error)? = found[ids[0]] else {
            Issue.record("The record is read.")
            return
        }
        #expect(error.code == .incompatibleVersion && error.recordID == ids[0] && error.fieldKey == "name")
        #expect(found[ids[1]]?.record?["name"] == "Bread")
        var milk = try #require(changes[ids[0]])
        milk["number"] = 2
        #expect(try await database.save(milk)["number"] == 2)
    }

    @Test("reads the role, the permission and the state of a participant as unknown")
    func participant() throws {
        let text =
            #"{"participantId":"p","userIdentity":{"userRecordName":"_b"},"type":"A","permission":"B","acceptanceStatus":"C"}"#
        let participant = try CloudKitShare.participant(try JSONText(Array(text.utf8)).root)
        #expect(participant.role == .unknown && participant.permission == .unknown)
        #expect(participant.acceptanceStatus == .unknown)
        let share = try JSONText(Array(#"{"publicPermission":"D"}"#.utf8)).root
        let fields = try CloudKitShare.fields(share, in: zoneID) { _ in nil }
        let unknown = Int64(Share.ParticipantPermission.unknown.rawValue)
        #expect(fields[Share.SystemFieldKey.publicPermission] == .int64(unknown))
    }
}
