import Cabinet
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

/// A test for each path that could lead to another user's private database.
@Suite("Another user's private database is not reached by")
struct PrivacyTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
    }

    @Test("a request without credentials")
    func anonymous() async throws {
        try await server.save(Record("Notes", "n1", title: "Ann's"), token: "_ann")
        for name in RequestCatalog.names {
            let response = try await server.send(
                .post, "/cabinet/1/com.example.notes/development/\(name)", HTTPBody(#"{"scope":2}"#))
            #expect(response.status != .ok, "\(name)")
        }
        var request = FetchRecordsRequest(in: .private)
        request.recordIDs = [RecordID(recordName: "n1")]
        await expectCode(.notAuthenticated) { try await server.perform(request, token: nil) }
        let (status, json) = try await server.cloudKit(
            .recordsLookup, #"{"records":[{"recordName":"n1"}]}"#, token: nil)
        #expect(status == 421)
        #expect(try json["serverErrorCode"]?.string() == "AUTHENTICATION_REQUIRED")
    }

    @Test("wrong credentials", arguments: ["ann", "_ann2 ", "revoked"])
    func wrong(_ token: String) async throws {
        server.revoked.revoke("_revoked")
        let target = "/cabinet/1/com.example.notes/development/fetchZones"
        let body = HTTPBody(#"{"scope":1}"#)
        for value in ["Bearer \(token) x", "Basic X2FubjpfYW5u", "Bearer", "Bearer _revoked", "Bearer ann"] {
            let response = try await server.send(.post, target, body, fields: [("Authorization", value)])
            #expect(response.status == .unauthorized, "\(value)")
        }
        let query = "/database/1/com.example.notes/development/public/zones/list?ckWebAuthToken=ann"
        #expect(try await server.send(.post, query, HTTPBody("{}")).status == .unauthorized)
    }

    @Test("the name of another user beside own credentials")
    func otherName() async throws {
        await expectCode(.notAuthenticated) {
            try await server.perform(FetchZonesRequest(in: .private), token: "_ben", fields: [("Cabinet-User", "_ann")])
        }
        _ = try await server.perform(FetchZonesRequest(in: .private), token: "_ann", fields: [("Cabinet-User", "_ann")])
    }

    @Test("the owner of a zone")
    func owner() async throws {
        try await server.save(Record("Notes", "n1", title: "Ann's"), token: "_ann")
        let zoneID = RecordZone.ID(zoneName: RecordZone.ID.defaultZoneName, ownerName: "_ann")
        for scope in [DatabaseScope.private, .shared, .public] {
            var request = FetchRecordsRequest(in: scope)
            request.recordIDs = [RecordID(recordName: "n1", zoneID: zoneID)]
            let results = (try? await server.perform(request, token: "_ben"))?.results ?? []
            #expect(results.allSatisfy { (try? $0.get()) == nil }, "\(scope)")
            var changes = FetchZoneChangesRequest(in: scope)
            changes.zoneID = zoneID
            await #expect(throws: CabinetError.self) { try await server.perform(changes, token: "_ben") }
        }
        let lookup = #"{"records":[{"recordName":"n1"}],"zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_ann"}}"#
        let (_, json) = try await server.cloudKit(.recordsLookup, lookup, token: "_ben")
        for record in json["records"].map({ Array($0.elements) }) ?? [] { #expect(record["fields"] == nil) }
    }

    @Test("another user's cursor and change token")
    func positions() async throws {
        for name in ["a", "b", "c"] { try await server.save(Record("Notes", name, title: "Ann's"), token: "_ann") }
        try await server.save(Record("Notes", "z", title: "Ben's"), token: "_ben")
        let query = #"{"query":{"recordType":"Notes"},"resultsLimit":1}"#
        let (_, page) = try await server.cloudKit(.recordsQuery, query, token: "_ann")
        let marker = try #require(try page["continuationMarker"]?.string())
        let begin = #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"}}]}"#
        let (_, first) = try await server.cloudKit(.changesZone, begin, token: "_ann")
        let token = try #require(try first["zones"]?.elements.first { _ in true }?["syncToken"]?.string())
        let next = #"{"query":{"recordType":"Notes"},"continuationMarker":"\#(marker)"}"#
        #expect(try await server.cloudKit(.recordsQuery, next, token: "_ann").status == 200)
        #expect(try await server.cloudKit(.recordsQuery, next, token: "_ben").status == 400)
        #expect(try await server.cloudKit(.recordsQuery, next, in: .public, token: "_ann").status == 400)
        let changes = #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"},"syncToken":"\#(token)"}]}"#
        let (_, own) = try await server.cloudKit(.changesZone, changes, token: "_ann")
        #expect(own["zones"]?.elements.first { _ in true }?["serverErrorCode"] == nil)
        let (_, other) = try await server.cloudKit(.changesZone, changes, token: "_ben")
        #expect(other["zones"]?.elements.first { _ in true }?["records"] == nil)
    }

    @Test("another container's cursor")
    func containers() async throws {
        let (secret, other) = (ServerSecret.random(), WireContainer(identifier: "other", environment: .development))
        let caller = Caller(account: Account(userRecordName: "_ann"), deviceID: "web")
        func host(_ container: WireContainer, _ secret: ServerSecret) -> SealedHost {
            SealedHost(secret: secret, container: container, baseURL: "", directory: nil, couriers: nil)
        }
        let sealed = host(TestServer.container, secret).seal("text", for: caller)
        #expect(try host(TestServer.container, secret).open(sealed, for: caller) == "text")
        let anonymous = Caller(account: nil, deviceID: "web")
        #expect(throws: CabinetError.self) { try host(other, secret).open(sealed, for: caller) }
        #expect(throws: CabinetError.self) { try host(TestServer.container, .random()).open(sealed, for: caller) }
        #expect(throws: CabinetError.self) { try host(TestServer.container, secret).open(sealed, for: anonymous) }
        for index in sealed.indices {
            var changed = sealed
            changed.replaceSubrange(index...index, with: sealed[index] == "A" ? "B" : "A")
            // The last character may have bits that mean nothing.
            guard changed != sealed, sealed.index(after: index) != sealed.endIndex else { continue }
            #expect(throws: CabinetError.self) { try host(TestServer.container, secret).open(changed, for: caller) }
        }
    }

    @Test("a text of another container, although both have one secret")
    func derivedSecrets() {
        let secret = ServerSecret.random()
        let (notes, lists) = (
            WireContainer(identifier: "notes", environment: .development),
            WireContainer(identifier: "lists", environment: .development)
        )
        let sealed = secret.derived(for: notes).seal("text", for: ["a"])
        #expect(secret.derived(for: notes).open(sealed, for: ["a"]) == "text")
        let production = WireContainer(identifier: "notes", environment: .production)
        for other in [secret.derived(for: lists), secret.derived(for: production), secret] {
            #expect(other.open(sealed, for: ["a"]) == nil)
        }
    }

    @Test("an upload, or an asset's checksum")
    func assets() async throws {
        let begun = try await server.perform(BeginUploadRequest(in: .private), token: "_ann")
        let target = CabinetRoute.send(to: begun.upload, at: 0, in: TestServer.container).target.description
        #expect(try await server.send(.put, target, HTTPBody("secret"), token: "_ben").status == .notFound)
        #expect(try await server.send(.put, target, HTTPBody("secret"), token: "_ann").status == .noContent)
        await expectCode(.unknownItem) {
            try await server.perform(FinishUploadRequest(begun.upload), token: "_ben")
        }
        let asset = try await server.perform(FinishUploadRequest(begun.upload), token: "_ann")
        let range = AssetRange(
            asset: asset, recordID: RecordID(recordName: "n1"), scope: .private, range: 0..<asset.size)
        let bytes = CabinetRoute.bytes(range, in: TestServer.container).target.description
        #expect(try await server.send(.get, bytes, token: "_ben").status == .notFound)
        #expect(try await server.send(.get, bytes).status == .unauthorized)
    }

    @Test("entries of a request, which would be the store's bookkeeping")
    func entries() async throws {
        let body = #"""
            {"scope":1,"savePolicy":0,"isAtomic":true,"recordsToSave":[],
            "recordIDsToDelete":[],"refusals":[],"uploads":[],"asksForPlace":false,"entries":{"state":null}}
            """#
        let response = try await server.send(
            .post, "/cabinet/1/com.example.notes/development/modifyRecords", HTTPBody(body), token: "_ben")
        #expect(response.status == .forbidden)
    }

    @Test("the subscription of another user")
    func subscriptions() async throws {
        let zone = #"{"subscriptionID":"s","subscriptionType":"zone","zoneID":{"zoneName":"_defaultZone"}}"#
        let create = #"{"operations":[{"operationType":"create","subscription":\#(zone)}]}"#
        #expect(try await server.cloudKit(.subscriptionsModify, create, token: "_ann").status == 200)
        let (_, json) = try await server.cloudKit(
            .subscriptionsLookup, #"{"subscriptions":[{"subscriptionID":"s"}]}"#, token: "_ben")
        #expect(json["subscriptions"]?.elements.first { _ in true }?["serverErrorCode"] != nil)
    }

    @Test("a request ID of another user")
    func requestID() async throws {
        let id = UUID()
        let ann = try await server.save(Record("Notes", "n1", title: "Ann's"), token: "_ann", requestID: id)
        let ben = try await server.save(Record("Notes", "n1", title: "Ben's"), token: "_ben", requestID: id)
        #expect(ann["title"] as? String == "Ann's")
        #expect(ben["title"] as? String == "Ben's")
        let isOwn = try await server.save(
            Record("Notes", "p1", title: "Ann's"), in: .public, token: "_ann", requestID: id)
        #expect(isOwn["title"] as? String == "Ann's")
        await expectCode(.serverRecordChanged) {
            try await server.save(Record("Notes", "p1", title: "Ben's"), in: .public, token: "_ben", requestID: id)
        }
    }

    @Test("a user without the role of administrators, who changes the public schema in production")
    func schema() async throws {
        let container = WireContainer(identifier: "com.example.notes", environment: .production)
        let production = try TestServer(container)
        func body(_ scope: Int) -> HTTPBody {
            HTTPBody(#"{"scopes":[\#(scope)],"schema":{"recordTypes":{},"roles":[]},"isComplete":false}"#)
        }
        let target = CabinetRoute.request("modifySchema", in: container).target.description
        #expect(try await production.send(.post, target, body(1), token: "_ben").status == .forbidden)
        #expect(try await production.send(.post, target, body(1), token: "_ann.administrators").status == .ok)
        #expect(try await production.send(.post, target, body(2), token: "_ben").status == .ok)
    }
}
