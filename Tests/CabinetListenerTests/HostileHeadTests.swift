import CabinetListener
import CabinetServer
import Foundation
import Synchronization
import Testing

@Suite("Hostile heads: each is a clear error, and the server goes on")
struct HostileHeadTests {
    /// A second request, if the first one ended at the position that an attacker wants.
    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(
        "A head that can be read in two ways is refused, and what follows is not a request",
        arguments: [
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 40\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nContent-Length: 4\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 4\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: a\r\n Content-Length: 4\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -4\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x4\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4,4\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4 4\r\n\r\nabcd",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 184467440737095516\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: \r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\"<x>\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a:x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\u{1}c\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\u{7F}c\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX A: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX\u{1}A: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX(A): b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n",
            "GET http://other/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
            "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
            "GET / http/1.1\r\nHost: a\r\n\r\n",
            "GET /\r\nHost: a\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\r\n\r\n",
        ])
    func refused(head: String) async throws {
        let paths = Mutex<[String]>([])
        let test = try TestListener { request in
            paths.withLock { $0.append(request.path) }
            return try await TestListener.hello(request)
        }
        let answer = try await test.exchange(head + Self.smuggled)
        #expect(answer.isEmpty || answer.firstMatch(of: #/^HTTP/1\.[01] [45][0-9][0-9] /#) != nil, "\(answer)")
        // libmicrohttpd 0.9.75 writes the head of its own errors twice, as the body of the first.
        let statuses = Set(answer.matches(of: #/HTTP/1\.[01] ([0-9]{3}) [A-Z]/#).map(\.1))
        #expect(statuses.count <= 1, "\(answer)")
        #expect(paths.withLock { $0 } == [])
        try await test.expectAlive()
    }

    @Test("A head that does not fit is a 4xx", arguments: ["GET /?", "GET / HTTP/1.1\r\nHost: a\r\nX: "])
    func tooLong(start: String) async throws {
        let test = try TestListener()
        let answer = try await test.exchange(start + String(repeating: "a", count: 64 << 10) + "\r\n\r\n")
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
        try await test.expectAlive()
    }

    /// The fields of a usual response.
    private static let answer: HTTPHandler = { request in
        var response = try await TestListener.hello(request)
        for number in 0..<8 { try response.headerFields.append(HTTPField(name: name(number), value: value(80))) }
        return response
    }

    private static func name(_ number: Int) throws -> HTTPField.Name {
        try #require(HTTPField.Name("X-Field-\(number)"))
    }
    private static func value(_ length: Int) -> String { String(repeating: "a", count: length) }

    @Test("A head of any size has an answer, and none is carried out without one")
    func sizes() async throws {
        let count = Mutex(0)
        let test = try TestListener { request in
            count.withLock { $0 += 1 }
            return try await Self.answer(request)
        }
        let end = "Host: a\r\nConnection: close\r\n"
        let first = "GET / HTTP/1.1\r\n\(end)X: "
        var heads = stride(from: 6_000, to: 11_100, by: 41).map { first + Self.value($0 - first.utf8.count) }
        heads += stride(from: 4, through: 160, by: 4).flatMap { number in
            [
                "GET / HTTP/1.1\r\n\(end)" + (0..<number).map { "X-\($0): 1" }.joined(separator: "\r\n"),
                "GET /?\(Array(repeating: "a=1", count: number).joined(separator: "&")) HTTP/1.1\r\n\(end)X: a",
                first + "a\r\nCookie: " + (0..<number).map { "\($0)=\(Self.value(20))" }.joined(separator: "; "),
            ]
        }
        var statuses: [Substring: Int] = [:]
        for head in heads {
            let answer = try await test.exchange(head + "\r\n\r\n")
            let status = try #require(
                answer.firstMatch(of: #/^HTTP/1.1 (200|414|431) /#), "\(head.utf8.count): \(answer)")
            statuses[status.1, default: 0] += 1
        }
        #expect(statuses["200"] == count.withLock(\.self))
        #expect(statuses["200"] ?? 0 > 60 && statuses["431"] ?? 0 > 60, "\(statuses)")
    }

    @Test("A head may have 1 KiB more than its memory", arguments: [(9_000, "200"), (9_050, "431")])
    func longest(size: Int, status: String) async throws {
        let test = try TestListener()
        let first = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: "
        let answer = try await test.exchange(first + Self.value(size - first.utf8.count - 4) + "\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    }

    @Test("A head before others that have arrived has an answer", arguments: [400, 4_000, 5_120, 6_402, 6_530, 7_500])
    func pipelined(size: Int) async throws {
        let test = try TestListener(handler: Self.answer)
        let first = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        let head = first + Self.value(size - first.utf8.count - 4) + "\r\n\r\n"
        let answer = try await test.exchange(head + head + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.ranges(of: "HTTP/1.1 200 ").count == 3, "\(answer)")
    }

    @Test("An answer whose own head is too long is a 500, and the next one is not")
    func longAnswer() async throws {
        let test = try TestListener { request in
            var response = try await TestListener.hello(request)
            if request.path == "/long" {
                try response.headerFields.append(HTTPField(name: Self.name(0), value: Self.value(12_000)))
            }
            return response
        }
        let answer = try await test.exchange(
            "GET /long HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 500 ") && answer.contains("HTTP/1.1 200 "), "\(answer)")
    }

    @Test("Ten thousand fields are a 4xx")
    func manyFields() async throws {
        let test = try TestListener()
        let fields = String(repeating: "a: b\r\n", count: 10_000)
        let answer = try await test.exchange("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
        try await test.expectAlive()
    }

    @Test(
        "A path reaches the handler as it was sent, without being decoded",
        arguments: ["/%2e%2e%2f", "/a%00b", "/%C0%AE", "/a/../b", "//a", "/a%2Fb", "/%zz"])
    func undecoded(path: String) async throws {
        let test = try TestListener()
        let answer = try await test.exchange("GET \(path)?q=%41+ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasSuffix("\r\n\r\nGET \(path) 0"))
    }

    @Test("Unusual heads that mean one thing are answered")
    func unusual() async throws {
        let test = try TestListener()
        let body = "5;name=value\r\nhello\r\n0\r\nTrailer: a\r\n\r\n"
        let answer = try await test.exchange(
            "POST /a HTTP/1.1\r\nhOST: a\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n\(body)")
        #expect(answer.hasSuffix("\r\n\r\nPOST /a 5"))
        let old = try await test.exchange("GET /a HTTP/1.0\r\nX: a\tb\r\n\r\n")
        #expect(old.hasSuffix("\r\n\r\nGET /a 0"))
    }
}
