import Cabinet
import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import CabinetWire

@Suite("Operations of records/modify")
struct RecordOperationTests {
    private let store: CloudKitStore

    init() async throws {
        store = try CloudKitStore()
        try await store.post(
            .zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
    }

    private func operation(_ kind: String, _ name: String, tag: String? = nil, _ fields: String = "") -> String {
        let tag = tag.map { #","recordChangeTag":"\#($0)""# } ?? ""
        return
            #"{"operationType":"\#(kind)","record":{"recordType":"Items","recordName":"\#(name)"\#(tag),"fields":{\#(fields)}}}"#
    }

    private func save(_ operations: String..., atomic: Bool = true) async throws -> [JSONNode] {
        try await store.modify(operations.joined(separator: ","), zone: "Z", atomic: atomic).json.items("records")
    }

    private func state() async throws -> [String: String] {
        let records = try await store.post(
            .recordsQuery, #"{"query":{"recordType":"Items"},"zoneID":{"zoneName":"Z"}}"#
        ).json.items("records")
        return Dictionary(
            uniqueKeysWithValues: records.map { record in
                (
                    record.text("recordName") ?? "",
                    record["fields"]?.members.map { "\($0.key)=\($0.value["value"]?.json ?? "")" }.sorted().joined(
                        separator: ",") ?? ""
                )
            })
    }

    @Test("update changes the sent fields, replace removes the others", arguments: [true, false])
    func updating(atomic: Bool) async throws {
        let tag = try #require(
            try await save(operation("create", "milk", #""a":1,"b":2"#), atomic: atomic).first?.text("recordChangeTag"))
        let updated = try await save(operation("update", "milk", tag: tag, #""b":3,"c":4"#), atomic: atomic)
        #expect(try await state() == ["milk": "a=1,b=3,c=4"])
        #expect(
            try await save(operation("update", "milk", tag: tag, #""b":9"#), atomic: atomic).first?.text(
                "serverErrorCode") == "CONFLICT")
        let next = try #require(updated.first?.text("recordChangeTag"))
        _ = try await save(operation("replace", "milk", tag: next, #""b":5"#), atomic: atomic)
        #expect(try await state() == ["milk": "b=5"])
    }

    @Test("forced operations compare no tag, and create what does not exist", arguments: [true, false])
    func forcing(atomic: Bool) async throws {
        _ = try await save(
            operation("forceUpdate", "milk", #""a":1,"b":2"#), operation("forceReplace", "bread", #""a":7"#),
            atomic: atomic)
        _ = try await save(
            operation("forceUpdate", "milk", #""a":3"#), operation("forceReplace", "bread", #""b":8"#), atomic: atomic)
        #expect(try await state() == ["milk": "a=3,b=2", "bread": "b=8"])
        let deleted = try await save(operation("forceDelete", "milk"), operation("forceDelete", "none"), atomic: atomic)
        #expect(deleted.map { $0.text("serverErrorCode") } == [nil, nil])
        #expect(deleted.first?.text("recordName") == "milk")
        #expect(try await state() == ["bread": "b=8"])
    }

    @Test("replace clears no system field, also one with an index", arguments: [true, false])
    func replacing(atomic: Bool) async throws {
        try await store.container.privateDatabase.apply(
            Schema(recordTypes: [
                "Items": .init(fields: [
                    "a": .init(.int64), "b": .init(.int64), "creationDate": .init(.timestamp, .queryable),
                    "recordID": .init(.reference, .queryable),
                ])
            ]))
        let created = try await save(operation("create", "milk", #""a":1,"b":2"#), atomic: atomic)
        let tag = try #require(created.first?.text("recordChangeTag"))
        for (kind, tag, value) in [("replace", tag, 3), ("forceReplace", nil, 4)] {
            let answer = try await save(operation(kind, "milk", tag: tag, #""b":\#(value)"#), atomic: atomic)
            #expect(answer.first?.text("reason") == nil)
            #expect(try await state() == ["milk": "b=\(value)"])
        }
    }

    @Test("delete compares the change tag", arguments: [true, false])
    func deleting(atomic: Bool) async throws {
        let tag = try #require(try await save(operation("create", "milk")).first?.text("recordChangeTag"))
        let failed = try await save(
            operation("delete", "milk", tag: "old"), operation("create", "bread"), atomic: atomic)
        #expect(
            failed.map { $0.text("serverErrorCode") } == (atomic ? ["CONFLICT", "ATOMIC_ERROR"] : ["CONFLICT", nil]))
        #expect(failed.first?["serverRecord"]?.text("recordChangeTag") == tag)
        #expect(try await Set(state().keys) == (atomic ? ["milk"] : ["milk", "bread"]))
        #expect(
            try await save(operation("delete", "milk", tag: tag), atomic: atomic).first?.json
                == #"{"recordName":"milk","deleted":true}"#)
        #expect(
            try await save(operation("delete", "milk", tag: tag), atomic: atomic).first?.text("serverErrorCode")
                == "NOT_FOUND")
    }

    @Test("deletions that succeed do not fail with a later one, and their answer has a sync token")
    func deletingEach() async throws {
        let tag = try #require(try await save(operation("create", "milk")).first?.text("recordChangeTag"))
        _ = try await save(operation("create", "bread"))
        for (operations, codes) in [
            ([operation("delete", "milk", tag: tag), operation("delete", "bread", tag: "old")], [nil, "CONFLICT"]),
            ([operation("delete", "bread", tag: "old")], ["CONFLICT"]),
        ] {
            let answer = try await store.modify(operations.joined(separator: ","), zone: "Z", atomic: false)
            #expect(answer.json.items("records").map { $0.text("serverErrorCode") } == codes)
            #expect(answer.json.text("syncToken") != nil)
        }
    }

    @Test("of different kinds succeed or fail together in a custom zone")
    func mixing() async throws {
        let tag = try #require(try await save(operation("create", "milk", #""a":1"#)).first?.text("recordChangeTag"))
        let mixed = try await save(
            operation("update", "milk", tag: tag, #""a":2"#), operation("forceUpdate", "bread", #""a":1"#),
            operation("create", "eggs"), operation("forceUpdate", "eggs2", #""a":1"#))
        #expect(mixed.map { $0.text("serverErrorCode") } == [nil, nil, nil, nil])
        let again = try await save(
            operation("forceUpdate", "bread", #""a":9"#), operation("create", "eggs"), operation("forceDelete", "milk"))
        #expect(again.map { $0.text("serverErrorCode") } == ["ATOMIC_ERROR", "EXISTS", "ATOMIC_ERROR"])
        #expect(try await state() == ["milk": "a=2", "bread": "a=1", "eggs": "", "eggs2": "a=1"])
    }

    @Test("of different kinds are judged by the state that all of them leave, in any order", arguments: [true, false])
    func order(atomic: Bool) async throws {
        func codes(_ operations: String...) async throws -> [String?] {
            try await store.modify(operations.joined(separator: ","), zone: "Z", atomic: atomic).json.items("records")
                .map { $0.text("serverErrorCode") }
        }
        func tag(_ name: String) async throws -> String {
            let lookup = #"{"records":[{"recordName":"\#(name)"}],"zoneID":{"zoneName":"Z"}}"#
            let found = try await store.post(.recordsLookup, lookup).json.items("records")
            return try #require(found.first?.text("recordChangeTag"))
        }
        func reference(_ action: String) -> String {
            #""list":{"value":{"recordName":"list","action":"\#(action)"},"type":"REFERENCE"}"#
        }
        let child =
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"c","parent":{"recordName":"list"}}}"#
        #expect(
            try await codes(
                operation("create", "a", reference("VALIDATE")), operation("create", "b", reference("DELETE_SELF")),
                child, operation("forceUpdate", "list", #""n":1"#)) == [nil, nil, nil, nil])
        let (tagOfA, tagOfC) = (try await tag("a"), try await tag("c"))
        #expect(
            try await codes(
                operation("forceDelete", "list"), operation("delete", "c", tag: tagOfC),
                operation("delete", "a", tag: tagOfA), operation("create", "d")) == [nil, nil, nil, nil])
        #expect(try await state() == ["d": ""])

        _ = try await codes(operation("create", "list"), operation("create", "a", reference("VALIDATE")))
        let (old, parent) = (try await tag("a"), try await tag("list"))
        #expect(
            try await codes(operation("delete", "list", tag: parent), operation("delete", "a", tag: "old"))
                == [atomic ? "ATOMIC_ERROR" : "VALIDATING_REFERENCE_ERROR", "CONFLICT"])
        #expect(
            try await codes(operation("delete", "list", tag: parent), operation("delete", "a", tag: old)) == [nil, nil])
        #expect(try await state() == ["d": ""])
    }

    /// A service at which another client saves the record "bread" before each of the first requests that save records.
    private struct ContestedService: WrappingService {
        let base: any DatabaseService
        let rest: Counter

        final class Counter: Sendable {
            let count: Mutex<Int>
            init(_ count: Int) { self.count = Mutex(count) }
        }

        func perform<Request: ServiceRequest>(
            _ request: Request, for caller: Caller
        ) async throws -> Request.Response {
            let number = rest.count.withLock { count in
                if Request.name == ModifyRecordsRequest.name { count -= 1 }
                return count
            }
            if Request.name == ModifyRecordsRequest.name, number >= 0 {
                var change = ModifyRecordsRequest(in: .private)
                change.savePolicy = .changedKeys
                let id = RecordID(recordName: "bread", zoneID: RecordZone.ID(zoneName: "Z"))
                var bread = Record(recordType: "Items", recordID: id)
                bread["b"] = number
                change.recordsToSave = [bread]
                _ = try await base.perform(change, for: caller)
            }
            return try await base.perform(request, for: caller)
        }
    }

    @Test(
        "that are forced among others are sent again if another client was faster, and fail at last",
        arguments: [(true, 2), (false, 2), (true, 20), (false, 20)])
    func contested(atomic: Bool, count: Int) async throws {
        let endpoint = CloudKitEndpoint(
            service: ContestedService(base: store.container.service, rest: .init(count)), host: store.host,
            caller: Caller(account: Account(userRecordName: "_ann"), deviceID: "web"), scope: .private, requestID: "R1")
        let operations = [operation("create", "eggs"), operation("forceUpdate", "bread", #""a":1"#)]
        let json =
            #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"Z"},"atomic":\#(atomic)}"#
        let answer = await endpoint.response(to: .recordsModify, body: Array(json.utf8))
        let codes = try JSONText(answer.body).root.items("records").map { $0.text("serverErrorCode") }
        if count == 2 {
            #expect(codes == [nil, nil])
            #expect(try await state() == ["eggs": "", "bread": "a=1,b=0"])
        } else {
            #expect(codes == [atomic ? "ATOMIC_ERROR" : nil, "CONFLICT"])
            #expect(try await state() == (atomic ? ["bread": "b=10"] : ["eggs": "", "bread": "b=10"]))
        }
    }

    @Test(
        "are atomic together if one is in a custom zone, unless the request says otherwise",
        arguments: [true, nil, false])
    func zones(atomic: Bool?) async throws {
        try await store.post(
            .zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Y"}}}]}"#)
        func create(_ name: String, in zone: String) -> String {
            let zone = #""zoneID":{"zoneName":"\#(zone)"}"#
            return #"{"operationType":"create","record":{"recordType":"Items","recordName":"\#(name)",\#(zone)}}"#
        }
        _ = try await store.modify(create("old", in: "Z"))
        for other in ["_defaultZone", "Y"] {
            let operations = [create("new", in: "Z"), create("old", in: "Z"), create("new", in: other)]
            let answer = try await store.modify(operations.joined(separator: ","), atomic: atomic)
            let isAtomic = atomic ?? true
            #expect(answer.status == (isAtomic ? 400 : 200))
            let code = isAtomic ? "ATOMIC_ERROR" : nil
            #expect(
                answer.json.items("records").map { $0.text("serverErrorCode") }
                    == [other == "Y" && !isAtomic ? "EXISTS" : code, "EXISTS", code])
            let lookup = #"{"records":[{"recordName":"new"}],"zoneID":{"zoneName":"\#(other)"}}"#
            let found = try await store.post(.recordsLookup, lookup).json.items("records")
            #expect(found.map { $0.text("serverErrorCode") } == [isAtomic ? "NOT_FOUND" : nil])
        }
    }

    @Test("set and remove a parent, and keep it if they do not name it")
    func parents() async throws {
        _ = try await save(operation("create", "list"))
        func parent(_ kind: String, _ parent: String) async throws -> JSONNode? {
            try await store.modify(
                #"{"operationType":"\#(kind)","record":{"recordType":"Items","recordName":"milk"\#(parent)}}"#,
                zone: "Z"
            ).json.items("records").first
        }
        #expect(
            try await parent("forceUpdate", #","parent":{"recordName":"list"}"#)?["parent"]?.text("recordName")
                == "list")
        #expect(try await parent("forceUpdate", "")?["parent"]?.text("recordName") == "list")
        let tag = try #require(try await parent("forceUpdate", "")?.text("recordChangeTag"))
        #expect(try await parent("update", #","recordChangeTag":"\#(tag)","parent":null"#)?["parent"] == nil)
        for (kind, none) in [("forceUpdate", #","parent":null"#), ("forceReplace", "")] {
            _ = try await parent("forceUpdate", #","parent":{"recordName":"list"}"#)
            #expect(try await parent(kind, none)?.text("recordName") == "milk")
            #expect(try await parent("forceUpdate", "")?["parent"] == nil)
        }
    }

    @Test(
        "that are malformed are refused with their path",
        arguments: [
            (#"{"operationType":"upsert","record":{"recordType":"Items"}}"#, "operations[0].operationType"),
            (
                #"{"operationType":"update","record":{"recordType":"Items","recordName":"a"}}"#,
                "operations[0].record.recordChangeTag"
            ),
            (#"{"operationType":"update","record":{"recordType":"Items"}}"#, "operations[0].record.recordName"),
            (#"{"operationType":"create","record":{"recordName":"a"}}"#, "operations[0].record.recordType"),
            (#"{"operationType":"create","record":[]}"#, "operations[0].record"),
            (
                #"{"operationType":"create","record":{"recordType":"I","fields":{"a":{"value":"x","type":"INT64"}}}}"#,
                "operations[0].record.fields.a.value"
            ),
            (
                #"{"operationType":"create","record":{"recordType":"I","fields":{"a":{"value":1,"type":"NUMBER"}}}}"#,
                "operations[0].record.fields.a.type"
            ),
            (
                #"{"operationType":"create","record":{"recordType":"I","fields":{"a":{"value":[[1]]}}}}"#,
                "operations[0].record.fields.a.value[0]"
            ),
            (
                #"{"operationType":"create","record":{"recordType":"I","fields":{"a":{"value":99999999999999999999}}}}"#,
                "operations[0].record.fields.a.value"
            ),
            (
                #"{"operationType":"create","record":{"recordType":"I","fields":{"a":{"value":"?","type":"BYTES"}}}}"#,
                "operations[0].record.fields.a.value"
            ),
            (
                #"{"operationType":"create","record":{"recordType":"I","fields":{"a":{"value":"x","isEncrypted":true}}}}"#,
                "operations[0].record.fields.a"
            ),
            (
                #"{"operationType":"create","record":{"recordType":"I","fields":{"a":{"value":"AA==","type":"BYTES","isEncrypted":true}}}}"#,
                "operations[0].record.fields.a"
            ),
            (
                #"{"operationType":"create","record":{"recordType":"I","fields":{"a":{"value":"?","type":"ENCRYPTED_BYTES"}}}}"#,
                "operations[0].record.fields.a.value"
            ),
            (
                #"{"operationType":"create","record":{"recordType":"I","fields":{"a":{"value":["AA=="],"type":"ENCRYPTED_BYTES_LIST"}}}}"#,
                "operations[0].record.fields.a.type"
            ),
        ])
    func malformed(operation: String, path: String) async throws {
        let answer = try await store.modify(operation)
        #expect(answer.status == 400)
        #expect(answer.json.text("reason")?.contains("'\(path)'") == true, "\(answer.json.json)")
    }

    @Test("name a record once")
    func duplicates() async throws {
        let answer = try await store.modify(
            [operation("create", "a"), operation("forceDelete", "a")].joined(separator: ","))
        #expect(answer.status == 400)
    }
}
