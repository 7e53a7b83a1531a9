import Cabinet
import Foundation
import Testing

@testable import CabinetWire

/// The variety of requests that real clients send, line by line.
@Suite("Tolerance of what clients send")
struct ToleranceTests {
    private func store() async throws -> CloudKitStore {
        let store = try CloudKitStore()
        try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"milk","fields":{"name":{"value":"Milk"},"number":{"value":2},"price":{"value":1.5},"due":{"value":1000,"type":"TIMESTAMP"},"list":{"value":{"recordName":"L1"}}}}}"#
        )
        return store
    }

    private func fields(_ store: CloudKitStore, _ fields: String) async throws -> JSONNode {
        let answer = try await store.modify(
            #"{"operationType":"forceUpdate","record":{"recordType":"Items","recordName":"milk","fields":{\#(fields)}}}"#
        )
        #expect(answer.json.items("records").first?.text("reason") == nil)
        return try #require(answer.json.items("records").first?["fields"])
    }

    @Test("Containers contain dots, sometimes percent-encoded")
    func containers() throws {
        let target = try RequestTarget("/database/1/iCloud%2Ecom.example/development/private/records/query")
        #expect(try CloudKitRoute(method: "POST", target: target).container.identifier == "iCloud.com.example")
    }

    @Test(
        "Lists come as GET and as POST",
        arguments: [CloudKitOperation.zonesList, .subscriptionsList, .usersCaller, .usersCurrent])
    func methods(_ operation: CloudKitOperation) async throws {
        let store = try await store()
        #expect(operation.methods == ["GET", "POST"])
        #expect(try await store.post(operation, "").json.json == store.post(operation, "{}\n").json.json)
    }

    @Test("Values have no type: the schema decides, and then the JSON")
    func types() async throws {
        let store = try await store()
        let read = try await fields(
            store,
            #""price":{"value":2},"due":{"value":2000},"list":{"value":"L2"},"new":{"value":true},"place":{"value":{"latitude":1,"longitude":2}}"#
        )
        #expect(read["price"]?.json == #"{"value":2.0,"type":"DOUBLE"}"#)
        #expect(read["due"]?.json == #"{"value":2000,"type":"TIMESTAMP"}"#)
        #expect(read["list", "value"]?.text("recordName") == "L2")
        #expect(read["new"]?.json == #"{"value":1,"type":"INT64"}"#)
        #expect(read["place"]?.text("type") == "LOCATION")
    }

    @Test("Values are bare, and empty objects and null remove a field")
    func bareValues() async throws {
        let store = try await store()
        let read = try await fields(
            store,
            #""name":"Bread","number":{},"price":{"value":null},"due":null,"list":{"recordName":"L3","action":"NONE"},"tags":["a"]"#
        )
        #expect(read.members.map(\.key).sorted() == ["list", "name", "tags"])
        #expect(read["name"]?.json == #"{"value":"Bread","type":"STRING"}"#)
        #expect(read["list"]?.text("type") == "REFERENCE")
    }

    @Test(
        "Filters and orders are null, an object, or absent",
        arguments: [
            "", #","filterBy":null,"sortBy":null"#, #","filterBy":[],"sortBy":[]"#,
            #","filterBy":{"fieldName":"number","comparator":"EQUALS","fieldValue":{"value":2}},"sortBy":{"fieldName":"name"}"#,
            #","filterBy":[{"fieldName":"number","comparator":"EQUALS","fieldValue":2}],"sortBy":[{"fieldName":"name","ascending":false}]"#,
        ])
    func filters(_ parts: String) async throws {
        let answer = try await store().post(.recordsQuery, #"{"query":{"recordType":"Items"\#(parts)}}"#)
        #expect(answer.json.items("records").count == 1)
    }

    @Test(
        "System fields have two kinds of names",
        arguments: [
            (#""fieldName":"___recordID""#, #"{"value":{"recordName":"milk"},"type":"REFERENCE"}"#),
            (#""fieldName":"___recordID""#, #"{"value":"milk"}"#),
            (#""fieldName":"recordName""#, #"{"value":"milk","type":"STRING"}"#),
            (#""systemFieldName":"recordName""#, #"{"value":"milk"}"#),
            (#""systemFieldName":"createdUserRecordName""#, #"{"value":{"recordName":"_ann"}}"#),
            (#""fieldName":"___modifiedBy""#, #"{"value":"_ann"}"#),
        ])
    func systemFields(name: String, value: String) async throws {
        let answer = try await store().post(
            .recordsQuery,
            #"{"query":{"recordType":"Items","filterBy":[{\#(name),"comparator":"EQUALS","fieldValue":\#(value)}]}}"#)
        #expect(answer.json.text("reason") == nil)
        #expect(answer.json.items("records").count == 1)
    }

    @Test(
        "System dates are compared in milliseconds, and sorted by",
        arguments: ["createdTimestamp", "modifiedTimestamp"])
    func systemDates(_ name: String) async throws {
        let answer = try await store().post(
            .recordsQuery,
            #"{"query":{"recordType":"Items","filterBy":[{"systemFieldName":"\#(name)","comparator":"GREATER_THAN","fieldValue":{"value":1000}}],"sortBy":[{"systemFieldName":"\#(name)"}]}}"#
        )
        #expect(answer.json.items("records").count == 1)
    }

    @Test(
        "A field of the record type hides a system field of the same name",
        arguments: ["createdTimestamp", "recordName"])
    func hiddenSystemFields(_ name: String) async throws {
        let store = try await store()
        _ = try await fields(store, #""\#(name)":{"value":"own","type":"STRING"}"#)
        for (key, count) in [("fieldName", 1), ("systemFieldName", 0)] {
            let answer = try await store.post(
                .recordsQuery,
                #"{"query":{"recordType":"Items","filterBy":[{"\#(key)":"\#(name)","comparator":"EQUALS","fieldValue":{"value":\#(key == "fieldName" || name == "recordName" ? #""own""# : "1")}}]}}"#
            )
            #expect(answer.json.text("reason") == nil)
            #expect(answer.json.items("records").count == count)
        }
    }

    @Test("A zone has the user's name or the placeholder, in one query and in changes")
    func owners() async throws {
        let store = try await store()
        try await store.modify(#"{"operationType":"create","record":{"recordType":"Items","recordName":"bread"}}"#)
        func zone(_ owner: String) -> String { #""zoneID":{"zoneName":"_defaultZone","ownerRecordName":"\#(owner)"}"# }
        let query = #""query":{"recordType":"Items"},"resultsLimit":1"#
        let page = try await store.post(.recordsQuery, #"{\#(query),\#(zone("__defaultOwner__"))}"#)
        let marker = try #require(page.json.text("continuationMarker"))
        let next = try await store.post(
            .recordsQuery, #"{\#(query),\#(zone("_ann")),"continuationMarker":"\#(marker)"}"#)
        #expect(next.json.items("records").map { $0.text("recordName") } == ["bread"])
        let changes = try await store.post(.changesZone, #"{"zones":[{\#(zone("_ann"))}]}"#)
        #expect(changes.json.items("zones").first?.items("records").count == 2)
    }

    @Test(
        "A user in a filter is one of the default zone, also in a query of another zone",
        arguments: ["createdUserRecordName", "modifiedUserRecordName"])
    func users(_ name: String) async throws {
        let store = try CloudKitStore()
        try await store.post(
            .zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
        try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"milk"}}"#, zone: "Z")
        for (value, count) in [(#""_ann""#, 1), (#"{"recordName":"_ann"}"#, 1), (#""_ben""#, 0)] {
            let found = try await store.post(
                .recordsQuery,
                #"{"query":{"recordType":"Items","filterBy":{"systemFieldName":"\#(name)","comparator":"EQUALS","fieldValue":{"value":\#(value)}}},"zoneID":{"zoneName":"Z"}}"#
            )
            #expect(found.json.items("records").count == count)
        }
    }

    @Test("The public zone has the name of the user that it was answered to")
    func publicZone() async throws {
        let store = try CloudKitStore()
        let zone = #""zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_ben"}"#
        let requests: [(CloudKitOperation, String, StaticString)] = [
            (
                .recordsModify,
                #"{"operations":[{"operationType":"create","record":{"recordType":"Items","recordName":"a",\#(zone),"fields":{"r":{"value":{"recordName":"b",\#(zone)}}}}}]}"#,
                "records"
            ),
            (.recordsLookup, #"{"records":[{"recordName":"a"}],\#(zone)}"#, "records"),
            (.recordsQuery, #"{"query":{"recordType":"Items"},\#(zone)}"#, "records"),
            (
                .recordsQuery,
                #"{"query":{"recordType":"Items","filterBy":{"fieldName":"r","comparator":"EQUALS","fieldValue":{"value":{"recordName":"b",\#(zone)}}}}}"#,
                "records"
            ),
            (.zonesLookup, #"{"zones":[{\#(zone)}]}"#, "zones"),
        ]
        for (operation, json, key) in requests {
            let item = try #require(try await store.post(operation, json, in: .public).json.items(key).first)
            #expect(item.text("serverErrorCode") == nil)
            #expect(item["zoneID"]?.text("ownerRecordName") == "_ann")
        }
    }

    @Test("The keys of a zone win over those around it")
    func innerKeys() async throws {
        let answer = try await store().post(
            .changesZone,
            #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"},"numbersAsStrings":false,"desiredKeys":["number"]}],"desiredKeys":[],"numbersAsStrings":true}"#
        )
        #expect(
            answer.json.items("zones").first?.items("records").first?["fields"]?.json
                == #"{"number":{"value":2,"type":"INT64"}}"#)
    }

    @Test(
        "Integers arrive as texts, and leave as texts if the request asks for it",
        arguments: ["numbersAsStrings", "numberAsStrings"])
    func numbers(_ key: String) async throws {
        let store = try await store()
        let read = try await fields(
            store, #""number":{"value":"9007199254740993","type":"INT64"},"due":{"value":"3000","type":"TIMESTAMP"}"#)
        #expect(try read["number", "value"]?.int64() == 9_007_199_254_740_993)
        #expect(try read["due", "value"]?.int64() == 3000)
        let answer = try await store.post(.recordsLookup, #"{"records":[{"recordName":"milk"}],"\#(key)":true}"#)
        #expect(
            answer.json.items("records").first?["fields", "number"]?.json
                == #"{"value":"9007199254740993","type":"INT64"}"#)
    }

    @Test(
        "Desired keys stand beside the operations, in one, or in its record; an empty list means no field",
        arguments: [
            ("", "", #","desiredKeys":["name","name"]"#), (#","desiredKeys":["name"]"#, "", ""),
            ("", #","desiredKeys":["name"]"#, ""),
        ])
    func desiredKeys(inOperation: String, inRecord: String, outside: String) async throws {
        let store = try await store()
        let json =
            #"{"operations":[{"operationType":"forceUpdate"\#(inOperation),"record":{"recordType":"Items","recordName":"milk"\#(inRecord),"fields":{"number":3}}}]\#(outside)}"#
        let answer = try await store.post(.recordsModify, json)
        #expect(answer.json.items("records").first?["fields"]?.members.map(\.key) == ["name"])
        let none = try await store.post(
            .recordsLookup, #"{"records":[{"recordName":"milk","desiredKeys":[]}],"desiredKeys":["name"]}"#)
        #expect(none.json.items("records").first?["fields"]?.json == "{}")
    }

    @Test("A sync token comes with queries and lookups that ask for it in the URL")
    func syncTokens() async throws {
        let store = try await store()
        let endpoint = store.endpoint(answersSyncToken: true)
        for (operation, json) in [
            (CloudKitOperation.recordsQuery, #"{"query":{"recordType":"Items"}}"#),
            (.recordsLookup, #"{"records":[]}"#),
        ] {
            let body = try JSONText(await endpoint.response(to: operation, body: Array(json.utf8)).body).root
            #expect(body.text("syncToken") != nil)
            #expect(try await store.post(operation, json).json.text("syncToken") == nil)
        }
    }

    @Test("Keys that are unknown, and what a client invents about a record, are passed over")
    func unknownKeys() async throws {
        let store = try CloudKitStore()
        let answer = try await store.modify(
            #"{"operationType":"create","x":1,"record":{"recordType":"Items","recordName":"milk","created":{"userRecordName":"_ben","timestamp":1},"pluginFields":{},"deleted":false,"fields":{}}}"#
        )
        #expect(answer.json.items("records").first?["created"]?.text("userRecordName") == "_ann")
    }

    @Test(
        "A page has at most 200 records, also if a client asks for more",
        arguments: [("0", 3), ("2", 2), ("100000", 3)])
    func limits(limit: String, count: Int) async throws {
        let store = try await store()
        try await store.modify(
            ["a", "b"].map { #"{"operationType":"create","record":{"recordType":"Items","recordName":"\#($0)"}}"# }
                .joined(separator: ","))
        let answer = try await store.post(
            .recordsQuery, #"{"query":{"recordType":"Items"},"resultsLimit":\#(limit),"zoneWide":true}"#)
        #expect(answer.json.items("records").count == count)
        let many = Array(repeating: #"{"recordName":"a"}"#, count: 201).joined(separator: ",")
        #expect(try await store.post(.recordsLookup, #"{"records":[\#(many)]}"#).status == 400)
    }
}
