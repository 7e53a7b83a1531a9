import Cabinet
import CabinetWire
import Foundation
import Synchronization
import Testing

@testable import CabinetServer

@Suite("A server")
struct DialectTests {
    @Test("answers both dialects over the same records")
    func dialects() async throws {
        let server = try TestServer()
        try await server.save(Record("Notes", "n1", title: "Hello"), token: "_ann")
        let (status, json) = try await server.cloudKit(
            .recordsLookup, #"{"records":[{"recordName":"n1"}]}"#, token: "_ann")
        #expect(status == 200)
        let record = try #require(json["records"]?.elements.first { _ in true })
        #expect(try record["fields"]?["title"]?["value"]?.string() == "Hello")
    }

    @Test("gives sync tokens in Base64, and takes them in both alphabets")
    func syncTokens() async throws {
        let server = try TestServer()
        let json = try await server.cloudKit(.zonesList, "{}", token: "_ann").json
        let token = try #require(try json["zones"]?.elements.first { _ in true }?["syncToken"]?.string())
        #expect(Data(base64Encoded: token) != nil)
        let url = token.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        for token in [token, url] {
            let request = #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"},"syncToken":"\#(token)"}]}"#
            let answer = try await server.cloudKit(.changesZone, request, token: "_ann")
            #expect(answer.json["zones"]?.elements.first { _ in true }?.has("records") == true)
        }
    }

    @Test("describes itself")
    func description() async throws {
        let response = try await TestServer().send(.get, "/cabinet/1")
        let description = try ServerDescription(json: Array(try await response.body.collect(upTo: 1 << 16)))
        #expect(description.requests == Set(RequestCatalog.names))
        #expect(description.abilities == ["signals"])
    }

    @Test("answers an unknown path, method, container and body in the dialect of the path")
    func unknown() async throws {
        let server = try TestServer()
        let requests: [(HTTPRequest.Method, String, String, Int)] = [
            (.get, "/nothing", "", 404), (.get, "/", "", 404), (.get, "/a/../b", "", 400),
            (.post, "/cabinet/1", "", 405), (.post, "/cabinet/2/c/development/fetchZones", "", 404),
            (.post, "/cabinet/1/other/development/fetchZones", "{}", 404),
            (.post, "/cabinet/1/com.example.notes/production/fetchZones", "{}", 404),
            (.post, "/cabinet/1/com.example.notes/development/nothing", "{}", 404),
            (.post, "/cabinet/1/com.example.notes/development/fetchZones", "{", 400),
            (.get, "/cabinet/1/com.example.notes/development/fetchZones", "", 405),
            (.post, "/database/1/com.example.notes/development/private/records/nothing", "{}", 404),
            (.get, "/database/1/com.example.notes/development/private/records/query", "", 405),
            (.post, "/database/1/com.example.notes/development/private/records/query/", "{}", 404),
            (.post, "/database//1/com.example.notes/development/private/records/query", "{}", 404),
            (.post, "/database/1/com.example.notes/development/private/records/query?a=%zz", "{}", 400),
            (.post, "/database/1/other/development/private/records/query", "{}", 400),
            (.post, "/database/1/com.example.notes/development/private/records/query", "[", 400),
        ]
        for (method, target, body, status) in requests {
            let response = try await server.send(method, target, HTTPBody(body), token: "_ann")
            #expect(response.status.code == status, "\(method) \(target)")
            let bytes = Array(try await response.body.collect(upTo: 1 << 16))
            if target.hasPrefix("/cabinet") { #expect(throws: Never.self) { try CabinetError.coding.decode(bytes) } }
            if target.hasPrefix("/database") {
                #expect(try JSONText(bytes).root["serverErrorCode"]?.string() != nil, "\(target)")
            }
        }
    }

    @Test(
        "refuses negative positions, before it computes with them",
        arguments: [
            #"{"number":-9223372036854775808,"horizon":0,"end":{"number":0}}"#,
            #"{"number":0,"horizon":-9223372036854775808,"end":{"number":0}}"#,
            #"{"number":0,"horizon":0,"end":{"number":-1}}"#,
            #"{"number":0,"horizon":0,"end":{"number":0},"zones":[-1,-9223372036854775808]}"#,
        ])
    func positions(position: String) async throws {
        let server = try TestServer()
        try await server.save(Record("Notes", "n1", title: "a"), token: "_ann")
        let zone = #""zoneID":["_defaultZone"]"#
        for (request, member) in [("fetchDatabaseChanges", ""), ("fetchZoneChanges", ",\(zone)")] {
            for scope in 1...3 {
                let body = HTTPBody(#"{"scope":\#(scope)\#(member),"since":\#(position)}"#)
                let target = CabinetRoute.request(request, in: TestServer.container).target.description
                #expect(try await server.send(.post, target, body, token: "_ann").status == .badRequest)
            }
        }
        let places = #"{"scope":2,"since":{"number":-1,"end":{"number":-1}}}"#
        let target = CabinetRoute.request("fetchNotifications", in: TestServer.container).target.description
        #expect(try await server.send(.post, target, HTTPBody(places), token: "_ann").status == .badRequest)
    }

    @Test("refuses bodies beyond its limits, of clients without credentials earlier")
    func bodies() async throws {
        var configuration = RecordServer.Configuration()
        configuration.limits.bodySize = 2_000
        configuration.limits.anonymousBodySize = 1_000
        let server = try TestServer(configuration: configuration)
        let target = "/cabinet/1/com.example.notes/development/fetchZones"
        let body = HTTPBody(#"{"scope":1}"# + String(repeating: " ", count: 1_500))
        #expect(try await server.send(.post, target, body).status.code == 413)
        #expect(try await server.send(.post, target, body, token: "_ann").status.code != 413)
        let long = HTTPBody(String(repeating: " ", count: 2_001))
        #expect(try await server.send(.post, target, long, token: "_ann").status.code == 413)
        let cloudKit = "/database/1/com.example.notes/development/private/records/query"
        #expect(try await server.send(.post, cloudKit, long, token: "_ann").status.code == 413)
    }

    @Test("says whether the credentials of a named user are missing or another user's")
    func namedUser() async throws {
        let server = try TestServer()
        for (token, message) in [
            (nil, "The request has no credentials, and names the user '_ben'."),
            ("_ann", "The credentials are not those of the user '_ben'. They are those of '_ann'."),
        ] as [(String?, String)] {
            let error = await #expect(throws: CabinetError.self) {
                try await server.perform(
                    FetchZonesRequest(in: .private), token: token, fields: [("Cabinet-User", "_ben")])
            }
            #expect(error?.code == .notAuthenticated && error?.message == message)
        }
    }

    @Test("refuses a body with a coding in both dialects, and that of an asset, and no other one")
    func codings() async throws {
        let server = try TestServer()
        let upload = #"{"tokens":[{"recordName":"n1","recordType":"Notes","fieldName":"file"}]}"#
        let tokens = try await server.cloudKit(.assetsUpload, upload, token: "_ann").json
        let url = try #require(try tokens["tokens"]?.elements.first { _ in true }?["url"]?.string())
        let asset = try #require(url.firstMatch(of: #/\/assets\/.*/#)).output
        for target in [
            "/cabinet/1/com.example.notes/development/fetchZones",
            "/database/1/com.example.notes/development/private/records/query", String(asset),
        ] {
            for coding in ["gzip", "identity, br", "x"] {
                let response = try await server.send(
                    .post, target, HTTPBody("{}"), token: "_ann", fields: [("Content-Encoding", coding)])
                #expect(response.status == .unsupportedMediaType, "\(target)")
                let text = String(decoding: try await response.body.collect(upTo: 1 << 16), as: UTF8.self)
                #expect(text.contains("Content-Encoding: \(coding)"))
            }
        }
        let list = "/database/1/com.example.notes/development/private/zones/list"
        for (coding, body) in [("Identity", "{}"), ("gzip", "")] {
            let response = try await server.send(
                .post, list, HTTPBody(body), token: "_ann", fields: [("Content-Encoding", coding)])
            #expect(response.status == .ok)
        }
    }

    @Test("applies a save once, although it is sent again")
    func repetition() async throws {
        let server = try TestServer()
        let id = UUID()
        let first = try await server.save(Record("Notes", "n1", title: "Hello"), token: "_ann", requestID: id)
        let second = try await server.save(Record("Notes", "n1", title: "Hello"), token: "_ann", requestID: id)
        #expect(first == second)
        #expect(first.recordChangeTag == second.recordChangeTag)
        await expectCode(.serverRecordChanged) {
            try await server.save(Record("Notes", "n1", title: "Hello"), token: "_ann", requestID: UUID())
        }
    }

    @Test("finds users by their addresses, if it has a list of users")
    func users() async throws {
        let accounts = AccountStore(MemoryBackend())
        let ben = try await accounts.addUser("ben", email: "ben@example.com").userRecordName
        var configuration = RecordServer.Configuration()
        configuration.directory = accounts
        let server = try TestServer(configuration: configuration)
        let lookups: [UserLookup] = [
            .emailAddress("Ben@example.com"), .userRecordName(ben), .userRecordName("_eve"), .phoneNumber("1"),
        ]
        let found = try await server.perform(FindUsersRequest(lookups: lookups), token: "_ann").userRecordNames
        #expect(found == [ben, ben, nil, nil])
        await expectCode(.notAuthenticated) {
            try await server.perform(FindUsersRequest(lookups: lookups), token: nil)
        }
        let many = Array(repeating: UserLookup.emailAddress("ben@example.com"), count: 201)
        await expectCode(.limitExceeded) {
            try await server.perform(FindUsersRequest(lookups: many), token: "_ann")
        }
        let alone = try await TestServer().perform(FindUsersRequest(lookups: lookups), token: "_ann")
        #expect(alone.userRecordNames == [nil, ben, "_eve", nil])
    }

    @Test("answers a browser's question before a request of another site")
    func preflight() async throws {
        for path in ["/database/1/com.example.notes/development/private/records/query", "/assets/1/x/development/y"] {
            let response = try await TestServer().send(.options, path)
            #expect(response.status == .noContent)
            for (field, value) in [
                ("Origin", "*"), ("Methods", "GET, POST, PUT, OPTIONS"),
                ("Headers", "Authorization, Content-Type, Range"),
            ] {
                let name = try #require(HTTPField.Name("Access-Control-Allow-\(field)"))
                #expect(response.headerFields[name] == value)
            }
        }
    }

    @Test("gives each response the ID of its record in the log, which has no query")
    func log() async throws {
        let records = Records()
        var configuration = RecordServer.Configuration()
        configuration.log = { records.add($0) }
        let server = try TestServer(configuration: configuration)
        let response = try await server.send(
            .post, "/database/1/com.example.notes/development/private/zones/list?ckWebAuthToken=_ann")
        #expect(response.status == .ok)
        let record = try #require(records.all.first)
        #expect(response.headerFields[.requestID] == record.id)
        #expect(record.name == "zones/list")
        #expect(record.user == "_ann")
        #expect(!record.json.contains("ckWebAuthToken"))
        // The name of the token that older clients send.
        let older = try await server.send(
            .post, "/database/1/com.example.notes/development/private/zones/list?ckSession=_ann")
        #expect(older.status == .ok)
        #expect(records.all.last?.json.contains("ckSession") == false)
        #expect(try JSONText(Array(record.json.utf8)).root["status"]?.int64() == 200)
        let time = try JSONText(Array(record.json.utf8)).root["time"]?.string() ?? ""
        #expect(time.contains(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/#))
    }

    @Test("reports its health, and numbers to clients on the same machine")
    func operation() async throws {
        let server = try TestServer()
        _ = try await server.perform(FetchZonesRequest(in: .private), token: "_ann")
        #expect(try await server.send(.get, "/health").status == .ok)
        #expect(try await server.send(.get, "/metrics").status == .forbidden)
        let forwarded = [("X-Forwarded-For", "203.0.113.7")]
        #expect(try await server.send(.get, "/metrics", fields: forwarded, from: "127.0.0.1").status == .forbidden)
        let response = try await server.send(.get, "/metrics", from: "127.0.0.1")
        let text = String(decoding: try await response.body.collect(upTo: 1 << 16), as: UTF8.self)
        #expect(text.contains(#"cabinet_requests_total{request="fetchZones",status="200"} 1"#))
        server.server.endStreams()
        #expect(try await server.send(.get, "/health").status == .serviceUnavailable)
    }
}

/// The records of a log.
final class Records: Sendable {
    private let records = Mutex<[RequestRecord]>([])
    var all: [RequestRecord] { records.withLock { $0 } }
    func add(_ record: RequestRecord) { records.withLock { $0.append(record) } }
}
