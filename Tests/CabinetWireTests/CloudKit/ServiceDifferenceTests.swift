import Cabinet
import Foundation
import Testing

@testable import CabinetWire

/// The differences between Apple's service and its documentation, line by line; those about signatures and web tokens are a
/// server's.
@Suite("Differences between the service and its documentation")
struct ServiceDifferenceTests {
    private static let container = "iCloud.com.example.shopping"

    @Test("1: tokens are created below /device, and below /database too")
    func tokens() async throws {
        for path in ["device", "database"].map({ "\($0)/1/\(Self.container)/development" })
            + ["database/1/\(Self.container)/development/private"]
        {
            let target = try RequestTarget("/\(path)/tokens/create")
            let route = try CloudKitRoute(method: "POST", target: target)
            #expect(route.operation == .tokensCreate)
            #expect(throws: RouteError.methodNotAllowed(allowed: ["POST"])) {
                try CloudKitRoute(method: "GET", target: target)
            }
        }
        let store = try CloudKitStore()
        let created = try await store.post(.tokensCreate, #"{"apnsEnvironment":"development","clientId":"c"}"#)
        #expect(
            created.json.json
                == #"{"apnsEnvironment":"development","apnsToken":"t0","webcourierURL":"https://example.com/wait/t0"}"#)
        let registered = try await store.post(.tokensRegister, #"{"apnsEnvironment":"development","apnsToken":"t0"}"#)
        #expect(registered.json.json == "{}")
        #expect(try await store.post(.tokensRegister, #"{"apnsEnvironment":"development"}"#).status == 400)
        #expect(try await store.post(.tokensCreate, #"{"apnsEnvironment":"testing"}"#).status == 400)
    }

    @Test("3: a share of a hierarchy is refused by both spellings of its type")
    func share() async throws {
        let store = try CloudKitStore()
        for type in ["cloudkit.share", "cloudKit.share"] {
            let answer = try await store.modify(
                #"{"operationType":"create","record":{"recordType":"\#(type)","forRecord":{"recordName":"L1"}}}"#,
                atomic: true)
            #expect(answer.status == 400)
            #expect(answer.json.text("serverErrorCode") == "BAD_REQUEST")
        }
    }

    @Test(
        "4: the owner of a zone is ownerRecordName, in answers and requests, and ownerName is read",
        arguments: ["_ann", "__defaultOwner__"])
    func owner(_ name: String) async throws {
        let store = try CloudKitStore()
        try await store.modify(#"{"operationType":"create","record":{"recordType":"Items","recordName":"milk"}}"#)
        for key in ["ownerRecordName", "ownerName"] {
            let answer = try await store.post(
                .recordsLookup,
                #"{"records":[{"recordName":"milk"}],"zoneID":{"zoneName":"_defaultZone","\#(key)":"\#(name)"}}"#)
            let zone = try #require(answer.json.items("records").first?["zoneID"])
            #expect(zone.json == #"{"zoneName":"_defaultZone","ownerRecordName":"_ann","zoneType":"DEFAULT_ZONE"}"#)
        }
        let other = try await store.post(
            .recordsLookup,
            #"{"records":[{"recordName":"milk"}],"zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_ben"}}"#)
        #expect(other.json.items("records").first?.text("serverErrorCode") != nil)
    }

    @Test("7: a subscription is created once, and another for the same changes exists")
    func subscriptions() async throws {
        let store = try CloudKitStore()
        try await store.modify(#"{"operationType":"create","record":{"recordType":"Items","recordName":"milk"}}"#)
        func create(_ id: String, _ fires: String) async throws -> JSONNode {
            let answer = try await store.post(
                .subscriptionsModify,
                #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"\#(id)","subscriptionType":"query","query":{"recordType":"Items"},"firesOn":[\#(fires)],"notificationInfo":{"alertBody":"x"}}}]}"#
            )
            return try #require(answer.json.items("subscriptions").first)
        }
        let first = try await create("s1", #""create","update""#)
        #expect(
            first.json
                == #"{"subscriptionID":"s1","subscriptionType":"query","query":{"recordType":"Items"},"zoneWide":true,"firesOn":["create","update"],"firesOnce":false}"#
        )
        #expect(try await create("s1", #""delete""#).json == first.json)
        #expect(try await create("s2", #""update","create""#).text("serverErrorCode") == "EXISTS")
        #expect(try await create("s3", #""delete""#).text("subscriptionID") == "s3")
        let list = try await store.post(.subscriptionsList)
        #expect(list.json.items("subscriptions").map { $0.text("subscriptionID") } == ["s1", "s3"])
        let lookup = try await store.post(
            .subscriptionsLookup, #"{"subscriptions":[{"subscriptionID":"s9"},{"subscriptionID":"s1"}]}"#)
        #expect(lookup.json.items("subscriptions").map { $0.text("serverErrorCode") } == ["NOT_FOUND", nil])
        #expect(lookup.json.items("subscriptions").map { $0.text("subscriptionID") } == ["s9", "s1"])
        let deleted = try await store.post(
            .subscriptionsModify, #"{"operations":[{"operationType":"delete","subscription":{"subscriptionID":"s1"}}]}"#
        )
        #expect(deleted.json.json == #"{"subscriptions":[{"subscriptionID":"s1","deleted":true}]}"#)
    }

    @Test("9: users need the public path and a user, save the caller")
    func users() async throws {
        let store = try CloudKitStore()
        let private_ = try await store.post(.usersDiscover, #"{"lookupInfos":[{"emailAddress":"ann@example.com"}]}"#)
        #expect(private_.status == 400)
        #expect(private_.json.text("reason") == "endpoint not applicable in the database type 'privatedb'")
        let identity =
            #"{"userRecordName":"_ann","nameComponents":{"givenName":"Ann","familyName":"Lee"},"lookupInfo":{"userRecordName":"_ann","emailAddress":"ann@example.com"}}"#
        let found = try await store.post(
            .usersDiscover, #"{"lookupInfos":[{"emailAddress":"ann@example.com"},{"phoneNumber":"1"}]}"#, in: .public)
        #expect(found.json.json == #"{"users":[\#(identity)]}"#)
        for scope in [DatabaseScope.private, .public] {
            #expect(try await store.post(.usersCaller, in: scope).json.json == #"{"users":[\#(identity)]}"#)
            #expect(
                try await store.post(.usersCurrent, in: scope).json.json
                    == #"{"userRecordName":"_ann","firstName":"Ann","lastName":"Lee","emailAddress":"ann@example.com"}"#
            )
        }
        let lookup = try await store.post(
            .usersLookupID, #"{"users":[{"userRecordName":"_ann"},{"userRecordName":"_ben"}]}"#, in: .public)
        #expect(lookup.json.items("users").map { $0.text("userRecordName") } == ["_ann", "_ben"])
        #expect(lookup.json.items("users").map { $0.text("serverErrorCode") } == [nil, "NOT_FOUND"])
        let endpoint = store.endpoint(.public, account: .some(nil))
        let none = await endpoint.response(to: .usersCaller, body: [])
        #expect(none.status == 421)
        #expect(try JSONText(none.body).root.text("serverErrorCode") == "AUTHENTICATION_REQUIRED")
    }

    @Test("8: users/discover by GET finds no contacts")
    func contacts() async throws {
        let store = try CloudKitStore()
        #expect(try await store.post(.usersDiscover, in: .public).json.json == #"{"users":[]}"#)
        #expect(try await store.post(.usersLookupContacts, in: .public).json.json == #"{"users":[]}"#)
    }

    @Test("11: a TIMESTAMP with a fraction is rounded, also in a location")
    func timestamps() async throws {
        let store = try CloudKitStore()
        let answer = try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"milk","fields":{"#
                + #""due":{"value":1775665915539.4,"type":"TIMESTAMP"},"at":{"value":{"latitude":1,"longitude":2,"timestamp":1775665915539.6}}}}}"#
        )
        let fields = try #require(answer.json.items("records").first?["fields"])
        #expect(try fields["due", "value"]?.int64() == 1_775_665_915_539)
        #expect(try fields["at", "value", "timestamp"]?.int64() == 1_775_665_915_540)
        // A whole number of 64 bits is all that an answer can say.
        let record = #""recordType":"Items","recordName":"bread","fields":{"due":{"value":1e300,"type":"TIMESTAMP"}}"#
        #expect(try await store.modify(#"{"operationType":"create","record":{\#(record)}}"#).status == 400)
    }

    @Test("12, 13: the type of a list is inferred, and answers have the exact one")
    func lists() async throws {
        let store = try CloudKitStore()
        let answer = try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"milk","fields":{"number":{"value":2},"#
                + #""tags":{"value":["a"],"type":"LIST"},"mixed":{"value":[1,2.5]}}}}"#)
        let fields = try #require(answer.json.items("records").first?["fields"])
        #expect(fields["tags"]?.json == #"{"value":["a"],"type":"STRING_LIST"}"#)
        #expect(fields["mixed"]?.text("type") == "DOUBLE_LIST")
        for type in ["", #","type":"INT64""#, #","type":"INT64_LIST""#] {
            for (comparator, count) in [("IN", 1), ("NOT_IN", 0)] {
                let found = try await store.post(
                    .recordsQuery,
                    #"{"query":{"recordType":"Items","filterBy":{"fieldName":"number","comparator":"\#(comparator)","fieldValue":{"value":[1,2]\#(type)}}}}"#
                )
                #expect(found.json.items("records").count == count, "\(comparator) \(type)")
            }
        }
        let empty = try await store.modify(
            #"{"operationType":"forceUpdate","record":{"recordType":"Items","recordName":"milk","fields":{"tags":{"value":[],"type":"UNKNOWN_LIST"}}}}"#
        )
        #expect(empty.json.items("records").first?["fields", "tags"]?.json == #"{"value":[],"type":"STRING_LIST"}"#)
    }

    @Test("14: an asset has its checksum, size and URL, and is used again through a receipt")
    func assets() async throws {
        let store = try CloudKitStore()
        let tokens = try await store.post(
            .assetsUpload, #"{"tokens":[{"recordName":"note","recordType":"Notes","fieldName":"photo"}]}"#)
        #expect(
            tokens.json.json
                == #"{"tokens":[{"recordName":"note","fieldName":"photo","url":"https://example.com/upload/private/Notes/note/photo"}]}"#
        )
        // A server begins the upload when the bytes arrive.
        let caller = Caller(account: Account(userRecordName: "_ann"), deviceID: "browser")
        let service = store.container.service
        let upload = try await service.perform(BeginUploadRequest(in: .private), for: caller).upload
        try await service.send(Data([1, 2, 3]), to: upload, at: 0, for: caller)
        let asset = try await service.perform(FinishUploadRequest(upload), for: caller)
        let file = try #require(
            try JSONText(try store.endpoint().uploadResponse(asset, upload: upload).body).root["singleFile"])
        #expect(file.members.map(\.key) == ["fileChecksum", "size", "receipt"])
        let saved = try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Notes","recordName":"note","fields":{"photo":{"value":\#(file.json),"type":"ASSETID"}}}}"#
        )
        let value = try #require(saved.json.items("records").first?["fields", "photo"])
        #expect(value.text("type") == "ASSETID")
        #expect(value["value"]?.members.map(\.key) == ["fileChecksum", "size", "downloadURL"])
        #expect(value["value"]?.text("downloadURL") == "https://example.com/note/photo/${f}")

        let again = try await store.post(.assetsRereference, #"{"assets":[{"recordName":"note","fieldName":"photo"}]}"#)
        let reference = try #require(again.json.items("assets").first)
        let copied = try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Notes","recordName":"copy","fields":{"photo":{"value":\#(reference.json)}}}}"#
        )
        #expect(
            copied.json.items("records").first?["fields", "photo", "value"]?.text("fileChecksum")
                == file.text("fileChecksum"))
        try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Notes","recordName":"album","fields":{"photos":{"value":[\#(reference.json),\#(reference.json)]}}}}"#
        )
        let several = try await store.post(
            .assetsRereference,
            #"{"assets":[{"recordName":"album","fieldName":"photos"},{"recordName":"note","fieldName":"name"},{"recordName":"none","fieldName":"photo"}]}"#
        )
        #expect(several.status == 200)
        let items = several.json.items("assets")
        #expect(items.first?.elements.map { $0.text("fileChecksum") } == [file, file].map { $0.text("fileChecksum") })
        #expect(items.dropFirst().map { $0.text("serverErrorCode") } == ["BAD_REQUEST", "NOT_FOUND"])
        #expect(items.dropFirst().map { $0.text("recordName") } == ["note", "none"])
        let foreign = try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Notes","recordName":"x","fields":{"photo":{"value":{"receipt":"_ben!AA=="}}}}}"#
        )
        #expect(foreign.status == 400)
    }

    @Test("15: a query finds a record right after its save")
    func consistency() async throws {
        let store = try CloudKitStore()
        try await store.modify(#"{"operationType":"create","record":{"recordType":"Items","recordName":"milk"}}"#)
        #expect(
            try await store.post(.recordsQuery, #"{"query":{"recordType":"Items"}}"#).json.items("records").count == 1)
    }

    @Test("16: a wrong path is not found")
    func paths() throws {
        for path in [
            "database/1/c/development/private/records/find", "database/1/c/development/secret/records/query",
            "database/2/c/development/private/records/query", "device/1/c/development/records/query",
            "database/1/c/development/private", "database/1/c/staging/private/zones/list",
            "database/1/c/development/private/zones%2Flist", "device/1/c/development/tokens%2Fcreate",
        ] {
            let target = try RequestTarget("/\(path)")
            #expect(throws: RouteError.notFound) { try CloudKitRoute(method: "POST", target: target) }
        }
        for operation in CloudKitOperation.allCases {
            let route = CloudKitRoute(
                operation, in: .init(identifier: "a.b", environment: .production), scope: .private)
            for method in operation.methods {
                #expect(try CloudKitRoute(method: method, target: route.target) == route)
            }
        }
    }

    @Test("An environment in capitals, as CloudKitPy sends it, is the same")
    func environments() throws {
        let target = try RequestTarget("/database/1/c/DEVELOPMENT/private/records/query")
        let route = try CloudKitRoute(method: "POST", target: target)
        #expect(route.container == WireContainer(identifier: "c", environment: .development))
    }

    @Test("17: an item's error has its record's name")
    func names() async throws {
        let store = try CloudKitStore()
        let answer = try await store.modify(
            #"{"operationType":"update","record":{"recordType":"Items","recordName":"none","recordChangeTag":"1","fields":{}}}"#
        )
        #expect(answer.status == 200)
        #expect(answer.json.items("records").first?.text("recordName") == "none")
        #expect(answer.json.items("records").first?.text("serverErrorCode") == "NOT_FOUND")
    }

    @Test("18: only a failed atomic batch has another status than 200")
    func statuses() async throws {
        let store = try CloudKitStore()
        let create = #"{"operationType":"create","record":{"recordType":"Items","recordName":"milk"}}"#
        try await store.modify(create)
        // The default zone is never atomic.
        for atomic in [true, false] {
            let answer = try await store.modify(create, atomic: atomic)
            #expect(answer.status == 200)
            #expect(answer.json.items("records").first?.text("serverErrorCode") == "EXISTS")
        }
        try await store.post(
            .zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
        try await store.modify(create, zone: "Z")
        let other = #"{"operationType":"create","record":{"recordType":"Items","recordName":"bread"}}"#
        #expect(try await store.modify("\(create),\(other)", zone: "Z").status == 400)
        let each = try await store.modify("\(create),\(other)", zone: "Z", atomic: false)
        #expect(each.status == 200)
        #expect(each.json.items("records").map { $0.text("serverErrorCode") } == ["EXISTS", nil])
    }
}
