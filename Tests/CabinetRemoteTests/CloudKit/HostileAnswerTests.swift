import Cabinet
import CabinetListener
import CabinetRemote
import CabinetServer
import Foundation
import Testing

@Suite("A client of a hostile server of CloudKit Web Services")
struct HostileAnswerTests {
    /// Answers each request in the same way.
    private func error(
        _ status: Int, _ body: HTTPBody, fields: [(String, String)] = [],
        _ request: (Database) async throws -> Void
    ) async throws -> CabinetError? {
        let listener = try HTTPListener(.init(addresses: [.network(host: "127.0.0.1", port: 0)], threads: 1)) { _ in
            var response = HTTPResponse(HTTPResponse.Status(code: status) ?? .ok, body: body)
            for (name, value) in fields {
                if let name = HTTPField.Name(name) {
                    response.headerFields.append(try HTTPField(name: name, value: value))
                }
            }
            return response
        }
        var configuration = RemoteConfiguration()
        (configuration.retryTimeLimit, configuration.maximumResponseSize) = (.milliseconds(300), 1 << 20)
        let client = try Container(
            identifier: "iCloud.com.example.notes",
            server: .cloudKit(try #require(URL(string: listener.urls[0]))),
            credentials: .webToken("token", apiToken: "api", userRecordName: "_ann"), configuration: configuration)
        var failure: CabinetError?
        do { try await request(client.privateDatabase) } catch { failure = error as? CabinetError }
        await client.close()
        await listener.stop(within: .seconds(1))
        return failure
    }

    @Test(
        "reports each answer as an error",
        arguments: [
            (200, ""), (200, "<html>"), (200, "{"), (200, "[]"), (200, "null"), (200, "{}"), (200, #"{"records":{}}"#),
            (200, #"{"records":[]}"#), (200, #"{"records":[1]}"#), (200, #"{"records":[{}]}"#),
            (200, #"{"records":[{"recordName":"a","recordType":1,"fields":{}}]}"#),
            (200, #"{"records":[{"recordName":"a","recordType":"T","fields":{"x":{"value":{},"type":"INT64"}}}]}"#),
            (200, #"{"records":[{"recordName":"a","recordType":"T","fields":{"x":{"value":1e999,"type":"DOUBLE"}}}]}"#),
            (200, #"{"records":[{"recordName":"a","recordType":"T","fields":{"x":{"value":[[1]]}}}]}"#),
            (200, #"{"records":[{"recordName":"a","recordName":"b","recordType":"T","fields":{}}]}"#),
            (200, #"{"records":[{"serverErrorCode":5}]}"#), (200, #"{"records":[{"serverErrorCode":"NO_SUCH_CODE"}]}"#),
            (200, String(repeating: "[", count: 100_000)), (200, "{\"a\":\"\u{0}\"}"), (200, "\u{FEFF}{}"),
            (204, ""), (302, ""), (404, "{}"), (418, "{}"), (500, "<html>"), (500, "{}"),
            (400, #"{"serverErrorCode":"BAD_REQUEST","retryAfter":1e308}"#),
            (429, #"{"serverErrorCode":"THROTTLED","retryAfter":-1}"#),
            (503, #"{"serverErrorCode":"TRY_AGAIN_LATER"}"#),
        ])
    func answers(status: Int, body: String) async throws {
        #expect(
            try await error(status, HTTPBody(body)) { _ = try await $0.record(for: RecordID(recordName: "a")) } != nil)
        #expect(try await error(status, HTTPBody(body)) { _ = try await $0.save(RecordZone(zoneName: "z")) } != nil)
        #expect(try await error(status, HTTPBody(body)) { _ = try await $0.databaseChanges(since: nil) } != nil)
    }

    @Test("ends an answer that is too long, and one that never ends")
    func size() async throws {
        let endless = HTTPBody(length: nil) { Data(repeating: UInt8(ascii: " "), count: 1 << 16) }
        let failure = try await error(200, endless) { _ = try await $0.record(for: RecordID(recordName: "a")) }
        #expect(failure?.code == .limitExceeded)
    }

    @Test("says that a user has to sign in, and where")
    func signIn() async throws {
        let body = #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"r","redirectURL":"https://example.com/in"}"#
        let failure = try await error(421, HTTPBody(body)) { _ = try await $0.record(for: RecordID(recordName: "a")) }
        #expect(failure?.code == .notAuthenticated)
        #expect(failure?.message.contains("https://example.com/in") == true)
        let limit = try await error(429, HTTPBody("<html>"), fields: [("Retry-After", "30")]) {
            _ = try await $0.record(for: RecordID(recordName: "a"))
        }
        #expect(limit?.code == .requestRateLimited && limit?.retryAfterSeconds == 30)
    }

    @Test(
        "sends no asset to a file, or without encryption to another machine",
        arguments: ["file:///etc/passwd", "http://203.0.113.7/x", "ftp://203.0.113.7/x", "", "https:///x", "/x"])
    func assetURLs(url: String) async throws {
        let body = #"{"tokens":[{"recordName":"a","fieldName":"file","url":"\#(url)"}]}"#
        let failure = try await error(200, HTTPBody(body)) { database in
            var record = Record(recordType: "Notes", recordID: RecordID(recordName: "a"))
            record["file"] = Asset(data: Data("x".utf8))
            try await database.save(record)
        }
        #expect(failure?.code == .internalError)
    }
}
