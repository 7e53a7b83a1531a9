import Cabinet
import Foundation
import Testing

@testable import CabinetWire

@Suite("Shares of hierarchies in CloudKit Web Services")
struct HierarchyShareTests {
    private let store: CloudKitStore
    private let zone = #""zoneID":{"zoneName":"Lists"}"#
    private let shared = #""zoneID":{"zoneName":"Lists","ownerRecordName":"_ben"}"#

    init() async throws {
        store = try CloudKitStore(user: "_ben")
        try await post(
            .zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Lists"}}}]}"#)
        for (name, type, parent) in [
            ("list", "Lists", ""), ("milk", "Items", "list"), ("note", "Notes", "milk"), ("diary", "Items", ""),
        ] {
            let parent = parent.isEmpty ? "" : #","parent":{"recordName":"\#(parent)"}"#
            try await modify(
                #"{"operationType":"create","record":{"recordName":"\#(name)","recordType":"\#(type)","fields":{"name":{"value":"\#(name)"},"size":{"value":1}}\#(parent)}}"#
            )
        }
    }

    /// Answers a request of a user; the owner is Ben.
    @discardableResult
    private func post(
        _ operation: CloudKitOperation, _ json: String, in scope: DatabaseScope = .private, as user: String = "_ben"
    ) async throws -> (status: Int, json: JSONNode) {
        let endpoint = CloudKitEndpoint(
            service: store.container.service, host: store.host,
            caller: Caller(account: Account(userRecordName: user), deviceID: "web"), scope: scope,
            container: WireContainer(identifier: "com.example.shopping", environment: .development), requestID: "R1")
        let response = await endpoint.response(to: operation, body: Array(json.utf8))
        return (response.status, try JSONText(response.body).root)
    }

    @discardableResult
    private func modify(
        _ operations: String, atomic: String = "true"
    ) async throws -> (status: Int, records: [JSONNode]) {
        let answer = try await post(
            .recordsModify, #"{"operations":[\#(operations)],\#(zone),"atomic":\#(atomic)}"#)
        return (answer.status, answer.json.items("records"))
    }

    private func lookUp(_ name: String, keys: String = "null") async throws -> JSONNode {
        let json =
            #"{"records":[{"recordName":"\#(name)"}],\#(zone)\#(keys == "null" ? "" : ",\"desiredKeys\":\(keys)")}"#
        return try #require(try await post(.recordsLookup, json).json.items("records").first)
    }

    /// The operation that shares a record with Ann.
    private func sharing(_ root: String, tag: String, name: String = "") -> String {
        #"{"operationType":"create","record":{"recordType":"cloudkit.share",\#(name)"fields":{},"forRecord":{"recordName":"\#(root)","recordChangeTag":"\#(tag)"},"publicPermission":"NONE","participants":[{"type":"USER","permission":"READ_WRITE","userIdentity":{"lookupInfo":{"emailAddress":"ann@example.com"}}}]}}"#
    }

    private func share(_ root: String) async throws -> JSONNode {
        let tag = try #require(try await lookUp(root).text("recordChangeTag"))
        let answer = try await modify(sharing(root, tag: tag))
        try #require(answer.status == 200, "\(answer.records.map(\.json))")
        #expect(answer.records.count == 1)
        return try #require(answer.records.first)
    }

    private func resolve(
        _ guid: String, _ members: String = "", _ operation: CloudKitOperation = .recordsResolve,
        as user: String = "_ann"
    ) async throws -> JSONNode {
        let json = #"{"shortGUIDs":[{"value":"\#(guid)"\#(members)}]}"#
        return try #require(try await post(operation, json, in: .public, as: user).json.items("results").first)
    }

    @Test("a record is shared by its tag, accepted with its root, worked on and left")
    func life() async throws {
        let share = try await share("list")
        let guid = try #require(share.text("shortGUID"))
        let name = try #require(share.text("recordName"))
        #expect(name != "cloudkit.zoneshare" && share.text("recordType") == "cloudkit.share")
        #expect(share["fields"]?.count == 0 && share.text("cabinetRootRecordName") == "list")
        for keys in ["null", "[]"] {
            let root = try await lookUp("list", keys: keys)
            #expect(root["share"]?.text("recordName") == name && root.text("shortGUID") == guid)
            #expect(root["share"]?["zoneID"]?.text("zoneName") == "Lists")
        }
        let item = try await lookUp("milk")
        #expect(item["share"] == nil && item["shortGUID"] == nil && item["parent"]?.text("recordName") == "list")
        let found = try await post(.recordsQuery, #"{"query":{"recordType":"Lists"},\#(zone)}"#).json.items("records")
        #expect(found.map { $0.text("shortGUID") } == [guid])
        let changes = try await post(.changesZone, #"{"zones":[{\#(zone)}]}"#).json.items("zones").first?.items(
            "records")
        #expect(changes?.first { $0.text("recordName") == "list" }?.text("shortGUID") == guid)

        let plain = try await resolve(guid)
        #expect(plain.text("rootRecordName") == "list" && plain["rootRecord"] == nil)
        #expect(plain.text("participantStatus") == "INVITED")
        let whole = try await resolve(guid, #","shouldFetchRootRecord":true"#)
        #expect(whole["rootRecord"]?["fields"]?.count == 2 && whole["rootRecord"]?.text("shortGUID") == guid)
        let members = #","shouldFetchRootRecord":true,"rootRecordDesiredKeys":["name"]"#
        let limited = try await resolve(guid, members)
        #expect(limited["rootRecord"]?["fields"]?.members.map(\.key) == ["name"])
        // Each item has its own keys.
        let both = #"{"shortGUIDs":[{"value":"\#(guid)"},{"value":"\#(guid)"\#(members)}]}"#
        let results = try await post(.recordsResolve, both, in: .public, as: "_ann").json.items("results")
        #expect(results.map { $0["rootRecord"]?["fields"]?.count } == [nil, 1])
        #expect(try await resolve(guid, members, as: "_dora").text("serverErrorCode") == "ACCESS_DENIED")
        let accepted = try await resolve(guid, members, .recordsAccept)
        #expect(accepted.text("participantStatus") == "ACCEPTED" && accepted["rootRecord"] != nil)

        let query = #"{"query":{"recordType":"Items"},\#(shared)}"#
        let items = try await post(.recordsQuery, query, in: .shared, as: "_ann").json.items("records")
        #expect(items.map { $0.text("recordName") } == ["milk"])
        let tag = try #require(share.text("recordChangeTag"))
        let leaving =
            #"{"operations":[{"operationType":"delete","record":{"recordName":"\#(name)","recordChangeTag":"\#(tag)"}}],\#(shared)}"#
        let left = try await post(.recordsModify, leaving, in: .shared, as: "_ann")
        #expect(left.status == 200, "\(left.json.json)")
        #expect(try await post(.zonesList, "", in: .shared, as: "_ann").json.items("zones").isEmpty)
        #expect(try await lookUp(name).items("participants").count == 1)
    }

    @Test("a root with another tag, without a record or below a shared one is refused, and nothing is shared")
    func refusals() async throws {
        let tag = try #require(try await lookUp("list").text("recordChangeTag"))
        let stale = try await modify(sharing("list", tag: "x"))
        #expect(stale.status == 400 && stale.records.map { $0.text("serverErrorCode") } == ["CONFLICT"])
        let missing = try await modify(sharing("none", tag: tag))
        #expect(missing.records.map { $0.text("serverErrorCode") } == ["NOT_FOUND"])
        #expect(missing.records.first?.text("reason") == "Cannot share - no such record exists to share")
        for atomic in ["false", "null"] {
            let answer = try await post(
                .recordsModify,
                #"{"operations":[\#(sharing("list", tag: tag))],\#(zone),"atomic":\#(atomic)}"#)
            #expect(answer.status == 400 && answer.json.text("reason")?.contains("atomic=true") == true)
        }
        #expect(try await lookUp("list")["share"] == nil)
        // Another record of the batch fails, so that the root is not shared.
        let exists = #"{"operationType":"create","record":{"recordName":"milk","recordType":"Items","fields":{}}}"#
        let mixed = try await modify("\(sharing("list", tag: tag)),\(exists)")
        #expect(mixed.records.map { $0.text("serverErrorCode") } == ["ATOMIC_ERROR", "EXISTS"])
        let kept = try await lookUp("list")
        #expect(kept["share"] == nil && kept.text("recordChangeTag") == tag)
        _ = try await share("list")
        let below = try #require(try await lookUp("milk").text("recordChangeTag"))
        let again = try await modify(sharing("milk", tag: below))
        #expect(again.records.first?.text("reason")?.contains("one share at most") == true)
    }

    @Test("a root in the batch, by a given name")
    func together() async throws {
        let root = #"{"operationType":"create","record":{"recordName":"new","recordType":"Lists","fields":{}}}"#
        let answer = try await modify("\(root),\(sharing("new", tag: "none", name: #""recordName":"s1","#))")
        #expect(answer.status == 200, "\(answer.records.map(\.json))")
        #expect(answer.records.last?.text("recordName") == "s1")
        #expect(answer.records.first?["share"]?.text("recordName") == "s1")
        #expect(answer.records.first?.text("shortGUID") == answer.records.last?.text("shortGUID"))
    }

    @Test("a record has the short GUID before it is shared that its share has afterwards")
    func shortGUID() async throws {
        for atomic in ["true", "false"] {
            let name = "list-\(atomic)"
            let created = try await modify(
                #"{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Lists","fields":{},"createShortGUID":true}}"#,
                atomic: atomic)
            let guid = try #require(created.records.first?.text("shortGUID"))
            #expect(try await resolve(guid).text("serverErrorCode") == "ACCESS_DENIED")
            #expect(try await share(name).text("shortGUID") == guid)
            #expect(try await resolve(guid).text("rootRecordName") == name)
        }
        let plain = try await modify(
            #"{"operationType":"create","record":{"recordName":"plain","recordType":"Lists","fields":{}}}"#)
        #expect(plain.records.first?["shortGUID"] == nil)
        let failed = try await modify(
            #"{"operationType":"create","record":{"recordName":"plain","recordType":"Lists","fields":{},"createShortGUID":true}}"#
        )
        #expect(failed.records.first?["shortGUID"] == nil)
    }
}
