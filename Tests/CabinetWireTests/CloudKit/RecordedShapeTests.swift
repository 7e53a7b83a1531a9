import Cabinet
import Foundation
import Testing

@testable import CabinetWire

/// The documented operations, as they were recorded, with other values.
@Suite("Recorded shapes of CloudKit Web Services")
struct RecordedShapeTests {
    private let store: CloudKitStore

    init() async throws {
        store = try CloudKitStore()
        try await store.post(
            .zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Groceries"}}}]}"#)
        try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Lists","recordName":"L1"}}"#, zone: "Groceries")
    }

    /// The text without what differs from run to run.
    private func plain(_ node: JSONNode) -> String {
        node.json.replacing(#/"(recordChangeTag|syncToken|metaSyncToken|continuationMarker)":"[^"]*"/#) {
            "\"\($0.1)\":\"…\""
        }
        .replacing(#/"timestamp":\d+/#, with: "\"timestamp\":0")
    }

    private static let zone =
        #""zoneID":{"zoneName":"Groceries","ownerRecordName":"_ann","zoneType":"REGULAR_CUSTOM_ZONE"}"#
    private static let stamps =
        #""created":{"timestamp":0,"userRecordName":"_ann","deviceID":"2"},"modified":{"timestamp":0,"userRecordName":"_ann","deviceID":"2"}"#

    @Test("records/modify answers each record whole")
    func modify() async throws {
        let answer = try await store.modify(
            #"""
            {"operationType": "create", "record": {"recordType": "Items", "recordName": "milk", "fields": {
              "name": {"value": "Milk"}, "number": {"value": 2},
              "list": {"value": {"recordName": "L1", "action": "DELETE_SELF"}, "type": "REFERENCE"}}}}
            """#, zone: "Groceries", atomic: true)
        #expect(answer.status == 200)
        #expect(
            plain(answer.json)
                == #"{"records":[{"recordName":"milk","recordType":"Items","fields":{"name":{"value":"Milk","type":"STRING"},"#
                + #""number":{"value":2,"type":"INT64"},"list":{"value":{"recordName":"L1","action":"DELETE_SELF","#
                + #"\#(Self.zone)},"type":"REFERENCE"}},"pluginFields":{},"recordChangeTag":"…",\#(Self.stamps),"deleted":false,\#(Self.zone)}],"syncToken":"…"}"#
        )
    }

    @Test("A conflict fails an atomic batch with 400, its records and the keys of a whole error")
    func conflict() async throws {
        try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"bread"}}"#, zone: "Groceries")
        let answer = try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"milk"}},"#
                + #"{"operationType":"update","record":{"recordType":"Items","recordName":"bread","recordChangeTag":"1d","fields":{"number":{"value":3}}}}"#,
            zone: "Groceries")
        #expect(answer.status == 400)
        #expect(answer.json.text("uuid") == "R1")
        #expect(answer.json.text("serverErrorCode") == "ATOMIC_ERROR")
        #expect(answer.json.text("reason") != nil)
        let records = answer.json.items("records")
        #expect(records.map { $0.text("serverErrorCode") } == ["ATOMIC_ERROR", "CONFLICT"])
        #expect(records.map { $0.text("recordName") } == ["milk", "bread"])
        #expect(records[1]["serverRecord"]?.text("recordName") == "bread")
        let lookup = try await store.post(
            .recordsLookup, #"{"records":[{"recordName":"milk"}],"zoneID":{"zoneName":"Groceries"}}"#)
        #expect(lookup.json.items("records").first?.text("serverErrorCode") == "NOT_FOUND")
    }

    @Test("records/query answers pages with a marker exactly if there are more")
    func query() async throws {
        try await store.modify(
            (2...3).map {
                #"{"operationType":"create","record":{"recordType":"Items","recordName":"i\#($0)","fields":{"number":{"value":\#($0)},"name":{"value":"n\#($0)"}}}}"#
            }.joined(separator: ","), zone: "Groceries")
        let query =
            #""query":{"recordType":"Items","filterBy":[{"fieldName":"number","comparator":"IN","fieldValue":{"value":[2,3],"type":"INT64_LIST"}}],"#
            + #""sortBy":[{"fieldName":"name","ascending":true}]},"zoneID":{"zoneName":"Groceries"},"resultsLimit":1,"desiredKeys":["name","name"]"#
        let first = try await store.post(.recordsQuery, "{\(query)}")
        #expect(first.status == 200)
        #expect(
            plain(first.json)
                == #"{"records":[{"recordName":"i2","recordType":"Items","fields":{"name":{"value":"n2","type":"STRING"}},"#
                + #""pluginFields":{},"recordChangeTag":"…",\#(Self.stamps),"deleted":false,\#(Self.zone)}],"continuationMarker":"…"}"#
        )
        let marker = try #require(first.json.text("continuationMarker"))
        let second = try await store.post(.recordsQuery, #"{\#(query),"continuationMarker":"\#(marker)"}"#)
        #expect(second.json.items("records").map { $0.text("recordName") } == ["i3"])
        #expect(second.json["continuationMarker"] == nil)
        let other = query.replacing(#""name","ascending""#, with: #""number","ascending""#)
        #expect(try await store.post(.recordsQuery, #"{\#(other),"continuationMarker":"\#(marker)"}"#).status == 400)
    }

    @Test("changes/zone answers changes since a token, with deletions")
    func zoneChanges() async throws {
        func changes(_ token: String?) async throws -> JSONNode {
            let token = token.map { #","syncToken":"\#($0)""# } ?? ""
            let answer = try await store.post(
                .changesZone,
                #"{"zones":[{"zoneID":{"zoneName":"Groceries"}\#(token),"desiredRecordTypes":["Items"]}],"resultsLimit":200}"#
            )
            #expect(answer.status == 200)
            return try #require(answer.json.items("zones").first)
        }
        let creation = try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"milk"}}"#, zone: "Groceries")
        let sinceCreation = try await changes(creation.json.text("syncToken"))
        #expect(sinceCreation.items("records").map { $0.text("recordName") } == ["milk"])
        let first = try await changes(nil)
        #expect(first.items("records").map { $0.text("recordName") } == ["milk"])
        #expect(try first["moreComing"]?.bool() == false)
        let token = try #require(first.text("syncToken"))
        let deletion = try await store.modify(
            #"{"operationType":"forceDelete","record":{"recordName":"milk"}}"#, zone: "Groceries")
        #expect(plain(deletion.json) == #"{"records":[{"recordName":"milk","deleted":true}],"syncToken":"…"}"#)
        let second = try await changes(token)
        #expect(
            second.items("records").map(\.json)
                == [#"{"recordName":"milk","recordType":"Items","deleted":true,\#(Self.zone)}"#])
        #expect(try await changes(second.text("syncToken")).items("records").isEmpty)
        let bad = try await changes("nonsense")
        #expect(bad.text("serverErrorCode") == "BAD_REQUEST")
        #expect(bad["zoneID"] != nil)
    }

    @Test("records/changes and zones/changes are older forms, with keys of their own")
    func olderChanges() async throws {
        let records = try await store.post(.recordsChanges, #"{"zoneID":{"zoneName":"Groceries"}}"#)
        #expect(records.json.members.map(\.key) == ["records", "syncToken", "moreComing"])
        let zones = try await store.post(.zonesChanges)
        #expect(zones.json.members.map(\.key) == ["zones", "metaSyncToken", "moreComing"])
        #expect(zones.json.items("zones").first.map(plain) == "{\(Self.zone),\"deleted\":false}")
        let token = try #require(zones.json.text("metaSyncToken"))
        let again = try await store.post(.zonesChanges, #"{"metaSyncToken":"\#(token)","syncToken":"ignored"}"#)
        #expect(again.json.items("zones").isEmpty)
        #expect(try await store.post(.changesDatabase, #"{"syncToken":"\#(token)"}"#).json.items("zones").isEmpty)
    }

    @Test("zones/list, zones/lookup and zones/modify")
    func zones() async throws {
        let list = try await store.post(.zonesList)
        #expect(
            plain(list.json)
                == #"{"zones":[{\#(Self.zone),"syncToken":"…","atomic":true},"#
                + #"{"zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_ann","zoneType":"DEFAULT_ZONE"},"syncToken":"…","atomic":false}]}"#
        )
        let lookup = try await store.post(.zonesLookup, #"{"zones":[{"zoneName":"Groceries"},{"zoneName":"None"}]}"#)
        #expect(lookup.json.items("zones").map { $0.text("serverErrorCode") } == [nil, "ZONE_NOT_FOUND"])
        #expect(lookup.json.items("zones")[1]["zoneID"]?.text("zoneName") == "None")
        let modify = try await store.post(
            .zonesModify,
            #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Groceries"}}},{"operationType":"delete","zone":{"zoneID":{"zoneName":"None"}}}]}"#
        )
        let results = modify.json.items("zones")
        #expect(results.first.map(plain) == "{\(Self.zone),\"deleted\":true}")
        let token = try #require(list.json.items("zones").first?.text("syncToken"))
        let changes = try await store.post(
            .changesZone, #"{"zones":[{"zoneID":{"zoneName":"Groceries"},"syncToken":"\#(token)"}]}"#)
        #expect(changes.json.items("zones").first?.text("serverErrorCode") == "ZONE_NOT_FOUND")
    }

    @Test("The sync token of zones/list is one of the zone, and loses no change")
    func listToken() async throws {
        let zone = try #require(try await store.post(.zonesList).json.items("zones").first)
        let token = try #require(zone.text("syncToken"))
        try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"milk"}}"#, zone: "Groceries")
        let changes = try await store.post(
            .recordsChanges, #"{"zoneID":{"zoneName":"Groceries"},"syncToken":"\#(token)"}"#)
        #expect(changes.json.items("records").map { $0.text("recordName") } == ["milk"])
    }
}
