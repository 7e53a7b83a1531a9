import CabinetListener
import CabinetServer
import Foundation
import Synchronization
import Testing

@Suite("The log, errors and files")
struct AccessTests {
    @Test("Each request is logged without its query, and counted")
    func log() async throws {
        let entries = Mutex<[HTTPAccess]>([])
        let configuration = HTTPListener.Configuration(addresses: [.network(host: "127.0.0.1", port: 0)]) { access in
            entries.withLock { $0.append(access) }
        }
        let test = try TestListener(configuration) { request in
            if request.path == "/failure" { throw CocoaError(.fileNoSuchFile) }
            if request.path == "/missing" { throw HTTPError(.notFound, "Nothing is here.") }
            return try await TestListener.hello(request)
        }
        for target in ["/a?token=1", "/failure", "/missing"] {
            let answer = try await test.exchange(
                "POST \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc")
            #expect(answer.contains("NoSuchFile") == false)
        }
        _ = try await test.exchange("BAD(/ HTTP/1.1\r\nHost: a\r\n\r\n")
        // A question mark and a combining accent are one character.
        _ = try await test.exchange("GET /b?\u{301}token HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await eventually { entries.withLock { $0.last?.path.hasPrefix("/b") == true } })
        let all = entries.withLock { $0 }
        #expect(all.prefix(3).map(\.path) == ["/a", "/failure", "/missing"])
        #expect(all.prefix(3).map(\.status) == [.ok, .internalServerError, .notFound])
        #expect(all.last?.status == .badRequest && all.last?.path == "/b")
        #expect(all[0].bytesReceived == 3 && all[0].bytesSent == 9)
        #expect(all[0].method == .post && all[0].remoteAddress == "127.0.0.1" && all[0].duration > .zero)
        #expect(all[1].error is CocoaError && all[0].error == nil)
        let counters = test.listener.counters
        #expect(counters.serverErrors == 1 && counters.clientErrors >= 2 && counters.connections == 5)
        #expect(counters.bytesSent > 0)
    }

    @Test("A value with a line break reaches no head, and framing fields are the listener's own")
    func injection() async throws {
        let test = try TestListener { request in
            var response = HTTPResponse(body: HTTPBody("abc"))
            try response.headerFields.set(.contentLength, to: "1")
            try response.headerFields.set(.transferEncoding, to: "chunked")
            try response.headerFields.set(.connection, to: "upgrade")
            try response.headerFields.set(.location, to: request.query?.removingPercentEncoding)
            return response
        }
        let bad = try await test.exchange(
            "GET /?a%0D%0ASet-Cookie:%20b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(bad.hasPrefix("HTTP/1.1 500 ") && !bad.contains("Set-Cookie"))
        let good = try await test.exchange("GET /?a%C3%A9 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(good.contains("Location: a\u{E9}\r\n") && good.contains("Content-Length: 3\r\n"))
        #expect(!good.contains("upgrade") && !good.contains("chunked") && good.hasSuffix("\r\n\r\nabc"))
    }

    @Test(
        "A file is sent whole, in part, and not at all",
        arguments: [
            ("", 200, "0123456789"), ("Range: bytes=2-4\r\n", 206, "234"), ("Range: bytes=7-\r\n", 206, "789"),
            ("Range: bytes=-2\r\n", 206, "89"), ("Range: bytes=0-,0-,0-\r\n", 200, "0123456789"),
            ("Range: bytes=4-2\r\n", 200, "0123456789"), ("Range: bytes=20-\r\n", 416, "The file has 10 bytes.\n"),
            ("Range: bytes=2-4\r\nIf-Range: \"2\"\r\n", 200, "0123456789"),
            ("Range: bytes=2-4\r\nIf-Range: \"1\"\r\n", 206, "234"), ("If-None-Match: W/\"1\"\r\n", 304, ""),
        ])
    func file(fields: String, status: Int, body: String) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("0123456789".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let test = try TestListener { request in
            try HTTPResponse(file: url, contentType: "text/plain", eTag: "1", for: request)
        }
        let answer = try await test.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.hasSuffix("\r\n\r\n" + body), "\(answer)")
    }
}
