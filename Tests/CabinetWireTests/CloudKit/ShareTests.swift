import Cabinet
import Foundation
import Testing

@testable import CabinetWire

@Suite("Shares in CloudKit Web Services")
struct ShareTests {
    private let store: CloudKitStore

    init() async throws {
        store = try CloudKitStore(user: "_ben")
        try await post(
            .zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Lists"}}}]}"#)
        try await post(
            .recordsModify,
            #"{"operations":[{"operationType":"create","record":{"recordName":"milk","recordType":"Items","fields":{"name":{"value":"Milk","type":"STRING"}}}}],"zoneID":{"zoneName":"Lists"}}"#
        )
    }

    /// Answers a request of a user; the owner is Ben.
    @discardableResult
    private func post(
        _ operation: CloudKitOperation, _ json: String, in scope: DatabaseScope = .private, as user: String? = "_ben"
    ) async throws -> (status: Int, json: JSONNode) {
        let endpoint = CloudKitEndpoint(
            service: store.container.service, host: store.host,
            caller: Caller(account: user.map { Account(userRecordName: $0) }, deviceID: "web"), scope: scope,
            container: WireContainer(identifier: "com.example.shopping", environment: .development), requestID: "R1")
        let response = await endpoint.response(to: operation, body: Array(json.utf8))
        return (response.status, try JSONText(response.body).root)
    }

    /// Saves the share.
    private func save(
        _ members: String, type: String = "cloudkit.share", operation: String = "create", atomic: String = "true"
    ) async throws -> (status: Int, json: JSONNode) {
        try await post(
            .recordsModify,
            #"{"operations":[{"operationType":"\#(operation)","record":{"recordType":"\#(type)",\#(members)}}],"zoneID":{"zoneName":"Lists"},"atomic":\#(atomic)}"#
        )
    }

    private static let participants =
        #""participants":[{"type":"PRIVATE_USER","permission":"READ_WRITE","userIdentity":{"lookupInfo":{"emailAddress":"ann@example.com"}}}]"#
    private static let shared = #""zoneID":{"zoneName":"Lists","ownerRecordName":"_ben"}"#

    /// Shares the zone with Ann, and returns the share.
    private func share() async throws -> JSONNode {
        let answer = try await save(
            #""fields":{"cloudkit.title":{"value":"Groceries"}},"publicPermission":"NONE",\#(Self.participants)"#)
        try #require(answer.status == 200, "\(answer.json.json)")
        return try #require(answer.json.items("records").first)
    }

    private func guids(_ share: JSONNode) throws -> String {
        #"{"shortGUIDs":[{"value":"\#(try #require(share.text("shortGUID")))"}]}"#
    }

    @Test("a zone is shared, resolved, accepted, worked on and left")
    func life() async throws {
        let share = try await share()
        #expect(share.text("recordName") == "cloudkit.zoneshare" && share.text("publicPermission") == "NONE")
        #expect(share["fields"]?.members.map(\.key) == ["cloudkit.title"])
        let participants = share.items("participants")
        #expect(participants.map { $0.text("type") } == ["OWNER", "USER"])
        #expect(participants.map { $0.text("acceptanceStatus") } == ["ACCEPTED", "INVITED"])
        #expect(participants.map { $0.text("permission") } == ["READ_WRITE", "READ_WRITE"])
        #expect(participants.last?["userIdentity"]?.text("userRecordName") == "_ann")
        #expect(share["owner"]?.text("participantId") == participants.first?.text("participantId"))
        #expect(share["currentUserParticipant"]?.text("type") == "OWNER")

        let guids = try guids(share)
        let resolved = try #require(
            try await post(.recordsResolve, guids, in: .public, as: "_ann").json.items("results").first)
        #expect(resolved.text("databaseScope") == "SHARED" && resolved.text("participantStatus") == "INVITED")
        #expect(resolved.text("participantType") == "USER" && resolved.text("participantPermission") == "READ_WRITE")
        #expect(resolved.text("containerIdentifier") == "com.example.shopping")
        #expect(resolved["shortGUID"]?.text("value") == share.text("shortGUID"))
        #expect(resolved["zoneID"]?.text("ownerRecordName") == "_ben" && resolved.has("rootRecord") == false)
        #expect(resolved["ownerIdentity"]?.text("userRecordName") == "_ben")
        let own = try await post(.recordsResolve, guids, in: .public).json.items("results").first
        #expect(own?.text("databaseScope") == "PRIVATE" && own?.text("participantType") == "OWNER")
        for operation in [CloudKitOperation.recordsAccept, .sharesAccept] {
            let accepted = try await post(operation, guids, in: .public, as: "_ann").json.items("results").first
            #expect(accepted?.text("participantStatus") == "ACCEPTED")
        }

        let query = #"{"query":{"recordType":"Items"},\#(Self.shared)}"#
        let found = try await post(.recordsQuery, query, in: .shared, as: "_ann").json.items("records")
        #expect(found.map { $0.text("recordName") } == ["milk"])
        let names = #""records":[{"recordName":"milk"},{"recordName":"cloudkit.zoneshare"}],"desiredKeys":["name"]"#
        let records = try await post(.recordsLookup, "{\(names),\(Self.shared)}", in: .shared, as: "_ann").json
            .items("records")
        #expect(records.last?.items("participants").count == 2 && records.last?["fields"]?.count == 0)
        #expect(records.last?["currentUserParticipant"]?.text("type") == "USER")
        let changes = try await post(
            .changesZone, #"{"zones":[{\#(Self.shared)}],"desiredKeys":["name"]}"#, in: .shared, as: "_ann")
        let changed = try #require(changes.json.items("zones").first).items("records")
        #expect(changed.contains { $0.items("participants").count == 2 })

        let tag = try #require(records.last?.text("recordChangeTag"))
        let deletion =
            #"{"operations":[{"operationType":"delete","record":{"recordName":"cloudkit.zoneshare","recordChangeTag":"\#(tag)"}}],\#(Self.shared)}"#
        let left = try await post(.recordsModify, deletion, in: .shared, as: "_ann")
        #expect(
            left.status == 200 && left.json.items("records").first.map { (try? $0["deleted"]?.bool()) == true } == true)
        let zones = try await post(.zonesList, "", in: .shared, as: "_ann").json.items("zones")
        #expect(zones.isEmpty)
    }

    @Test("a change of the members is a change of the share, by its tag")
    func changes() async throws {
        let share = try await share()
        let tag = try #require(share.text("recordChangeTag"))
        let id = #""recordName":"cloudkit.zoneshare","recordChangeTag":"\#(tag)""#
        let opened = try await save(#"\#(id),"participants":[],"publicPermission":"READ_ONLY""#, operation: "update")
        let record = try #require(opened.json.items("records").first)
        #expect(record.items("participants").count == 1 && record.text("publicPermission") == "READ_ONLY")
        #expect(record["fields"]?.members.map(\.key) == ["cloudkit.title"])
        let stale = try await save(#"\#(id),"publicPermission":"NONE""#, operation: "update")
        #expect(stale.json.items("records").first?.text("serverErrorCode") == "CONFLICT")
        // Everyone may open a public share.
        let resolved = try await post(.recordsResolve, guids(share), in: .public, as: "_dora").json.items("results")
            .first
        #expect(resolved?.text("participantType") == "PUBLIC_USER")
    }

    @Test("what cannot be shared is refused as the service refuses it")
    func refusals() async throws {
        let fields = #""fields":{}"#
        for atomic in ["false", "null"] {
            let answer = try await save(fields, atomic: atomic)
            #expect(answer.status == 400 && answer.json.text("reason")?.contains("atomic=true") == true)
        }
        let lower = try await save(fields, type: "cloudKit.share")
        #expect(lower.json.text("reason") == "Cannot share - no such record exists to share")
        let root = try await save(#"\#(fields),"forRecord":{"recordName":"milk"}"#)
        #expect(root.status == 400 && root.json.text("reason")?.contains("recordChangeTag") == true)
        for user in [#"{"lookupInfo":{"emailAddress":"x@example.com"}}"#, "{}"] {
            let answer = try await save(#"\#(fields),"participants":[{"userIdentity":\#(user)}]"#)
            #expect(answer.status == 400 && answer.json.text("serverErrorCode") == "BAD_REQUEST")
        }
        #expect(try await save(#"\#(fields),"publicPermission":"SOME""#).status == 400)
    }

    @Test("shares that the user may not open look alike, and need a user and the public path")
    func strangers() async throws {
        let share = try await share()
        let guid = try #require(share.text("shortGUID"))
        let json = #"{"shortGUIDs":[{"value":"\#(guid)"},{"value":"AAAAAAAAAAAAAAAAAAAAAA"},{"value":"x"}]}"#
        for operation in [CloudKitOperation.recordsResolve, .recordsAccept] {
            let results = try await post(operation, json, in: .public, as: "_dora").json.items("results")
            #expect(results.map { $0.text("serverErrorCode") } == Array(repeating: "ACCESS_DENIED", count: 3))
            #expect(Set(results.map { $0.text("reason") }).count == 1)
            #expect(try await post(operation, json, as: "_dora").status == 400)
            #expect(
                try await post(operation, json, in: .public, as: nil).json.text("serverErrorCode")
                    == "AUTHENTICATION_REQUIRED")
        }
        #expect(try await post(.recordsResolve, #"{"shortGUIDs":[]}"#, in: .public).json.items("results").isEmpty)
    }
}
