import Foundation
import Synchronization
import Testing

@testable import CabinetRemote

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Connections to servers that end them whenever they like.
@Suite("A session", .timeLimit(.minutes(15)))
struct SessionTests {
    /// Sends a request, and returns the status, the value of `X-Field` and the body of its response.
    private func receive(
        from server: RawServer, by session: any RemoteSession, body: String? = nil, isRepeatable: Bool = true,
        until end: ContinuousClock.Instant? = nil, fields: [String: String] = [:]
    ) async throws -> (status: Int, field: String?, body: String) {
        let head = Mutex<ResponseHead?>(nil)
        let bytes = Mutex(Data())
        var request = URLRequest(url: server.url)
        request.httpBody = body.map { Data($0.utf8) }
        if body != nil { request.httpMethod = "POST" }
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        try await session.receive(
            request, from: nil, isRepeatable: isRepeatable, until: end,
            head: { found in head.withLock { $0 = found } }, body: { data in bytes.withLock { $0.append(data) } })
        let found = try #require(head.withLock { $0 })
        return (found.status, found.value(of: "X-Field"), bytes.withLock { String(decoding: $0, as: UTF8.self) })
    }

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nx-FIELD:  a: b\r\n\r\nok"

    static let sessions: [any RemoteSession.Type] = {
        #if canImport(FoundationNetworking)
        [CurlSession.self, FoundationSession.self]
        #else
        [FoundationSession.self]
        #endif
    }()

    @Test("passes on the status, the fields and the body", arguments: sessions)
    func response(_ type: any RemoteSession.Type) async throws {
        let session = type.init(idleTimeLimit: .seconds(10), connections: 2)
        let server = try RawServer { _ in RawServer.Answer(bytes: Self.answer) }
        let response = try await receive(from: server, by: session, body: "question", fields: ["Empty": ""])
        #expect(response == (200, "a: b", "ok"))
        let head = try #require(server.received.first)
        #expect(head.hasPrefix("POST / HTTP/1.1\r\n") && head.hasSuffix("\r\n\r\nquestion"))
        #expect(head.contains("Content-Length: 8\r\n") && head.contains("Empty:") && !head.contains("Expect:"))
        #expect(!session.isClosed)
        session.close()
        #expect(session.isClosed)
        await #expect(throws: URLError.self) { try await receive(from: server, by: session) }
    }
}

#if canImport(FoundationNetworking)
extension SessionTests {
    private func session(idleTimeLimit: Duration = .seconds(10), connections: Int = 8) -> CurlSession {
        CurlSession(idleTimeLimit: idleTimeLimit, connections: connections)
    }

    @Test("reports a connection that breaks at each byte of a response")
    func breaks() async throws {
        let session = session()
        let count = Self.answer.utf8.count
        let server = try RawServer {
            RawServer.Answer(bytes: String(decoding: Array(Self.answer.utf8.prefix($0)), as: UTF8.self))
        }
        for number in 0..<count - 1 {
            do {
                _ = try await receive(from: server, by: session)
                Issue.record("no error after \(number) bytes")
            } catch let error as URLError {
                #expect(error.code == .networkConnectionLost)
            }
        }
    }

    @Test("takes other bytes than those of a response, or a head that is too long, for a failure")
    func malformed() async throws {
        let fields = String(repeating: "A: \(String(repeating: "a", count: 1_000))\r\n", count: 70)
        for bytes in [
            "HTTP/1.1 200 OK\r\n\(fields)\r\nok", "\u{16}\u{3}\u{1}", "HTTP/9.9 -1\r\n\r\n", "<html>", "\r\n\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok",
        ] {
            let server = try RawServer { _ in RawServer.Answer(bytes: bytes) }
            await #expect(throws: URLError.self, "\(bytes.prefix(60))") {
                try await receive(from: server, by: session())
            }
        }
    }

    @Test("passes over informational responses and fields after the body")
    func further() async throws {
        let bytes = """
            HTTP/1.1 103 Early Hints\r\nX-Field: no\r\n\r\nHTTP/1.1 200 OK\r\nX-Field: yes\r
            Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Field: late\r\n\r\n
            """
        let server = try RawServer { _ in RawServer.Answer(bytes: bytes) }
        #expect(try await receive(from: server, by: session()) == (200, "yes", "ok"))
    }

    @Test("can be cancelled at any time, a thousand times")
    func cancellation() async throws {
        let session = session(connections: 4)
        let server = try RawServer { _ in RawServer.Answer(bytes: Self.answer, isKept: true) }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let task = Task { try await receive(from: server, by: session) }
                    if number % 3 > 0 { try? await Task.sleep(for: .microseconds(number * 7 % 2_000)) }
                    if number % 3 < 2 { task.cancel() }
                    return await (try? task.value) != nil
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes[true, default: 0] >= 333)
        #expect(try await receive(from: server, by: session).body == "ok")
    }

    @Test("has one connection at least", arguments: [0, -1])
    func connections(_ count: Int) async throws {
        let server = try RawServer { _ in RawServer.Answer(bytes: Self.answer) }
        #expect(try await receive(from: server, by: session(connections: count)).body == "ok")
    }

    @Test("ends waiting and active requests when it is closed")
    func closing() async throws {
        let session = session(connections: 2)
        let server = try RawServer { _ in RawServer.Answer(bytes: "HTTP/1.1 200 OK\r\n", delay: .seconds(20)) }
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await #expect(throws: URLError.self) { try await receive(from: server, by: session) }
                }
            }
            try? await Task.sleep(for: .milliseconds(200))
            #expect(server.received.count == 2)
            session.close()
        }
        #expect(start.duration(to: .now) < .seconds(10))
    }

    @Test("counts silence from the time at which a request has a connection, and no head without an end as progress")
    func silence() async throws {
        let session = session(idleTimeLimit: .milliseconds(800), connections: 1)
        let slow = try RawServer { _ in RawServer.Answer(bytes: Self.answer, isKept: true, delay: .milliseconds(300)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { _ = try await receive(from: slow, by: session) } }
            try await group.waitForAll()
        }
        let silent = try RawServer { _ in RawServer.Answer(bytes: "HTTP/1.1 200 OK\r\nA: b\r\n", delay: .seconds(20)) }
        await #expect(throws: URLError(.timedOut)) { try await receive(from: silent, by: session) }
    }

    @Test("sends a request again over another connection only if that is harmless")
    func repetition() async throws {
        for isRepeatable in [true, false] {
            let session = session()
            let server = try RawServer { number in
                RawServer.Answer(bytes: number == 1 ? "" : Self.answer, isKept: number != 1)
            }
            _ = try await receive(from: server, by: session)
            if isRepeatable {
                _ = try await receive(from: server, by: session, body: "a", isRepeatable: true)
                #expect(server.received.count == 3)
            } else {
                await #expect(throws: URLError.self) {
                    try await receive(from: server, by: session, body: "a", isRepeatable: false)
                }
                #expect(server.received.count == 2)
            }
        }
    }

    @Test("sends no body after its time, neither of a request that waited for a connection nor a second time")
    func lateBodies() async throws {
        let session = session(connections: 1)
        let slow = try RawServer { _ in RawServer.Answer(bytes: "HTTP/1.1 200 OK\r\n", delay: .milliseconds(500)) }
        let first = Task { try await receive(from: slow, by: session, body: "a", until: .now + .seconds(60)) }
        while slow.received.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: URLError(.cannotConnectToHost)) {
            try await receive(from: slow, by: session, body: "b", until: .now + .milliseconds(100))
        }
        await #expect(throws: URLError(.networkConnectionLost)) { try await first.value }
        #expect(slow.received.count == 1)
        // The server ends a connection that was used before, so that libcurl sends the request again.
        let other = self.session()
        let server = try RawServer { number in
            number == 1
                ? RawServer.Answer(bytes: "", delay: .milliseconds(500))
                : RawServer.Answer(bytes: Self.answer, isKept: true)
        }
        _ = try await receive(from: server, by: other)
        await #expect(throws: URLError(.timedOut)) {
            try await receive(from: server, by: other, body: "a", until: .now + .milliseconds(250))
        }
        #expect(server.received.count == 2)
    }

    #if compiler(>=6.2) && canImport(Glibc)
    @Test("works after a shortage of descriptors at its beginning")
    func shortage() async {
        // The limit is one of the process.
        await #expect(processExitsWith: .success) {
            // Dispatch opens its descriptors, one for the timers of each clock, and the test fails if a request does not end.
            try await Task.sleep(for: .milliseconds(1), clock: .suspending)
            try await Task.sleep(for: .milliseconds(1), clock: .continuous)
            alarm(120)
            let session = CurlSession(idleTimeLimit: .seconds(10), connections: 1)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            let count = limit.rlim_cur
            limit.rlim_cur = 0
            setrlimit(resource, &limit)
            let url = try #require(URL(string: "http://127.0.0.1:1"))
            await #expect(throws: URLError.self) {
                try await session.receive(
                    URLRequest(url: url), from: nil, isRepeatable: true, until: nil, head: { _ in }, body: { _ in })
            }
            limit.rlim_cur = count
            setrlimit(resource, &limit)
            let server = try RawServer { _ in
                RawServer.Answer(bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            let body = Mutex(Data())
            try await session.receive(
                URLRequest(url: server.url), from: nil, isRepeatable: true, until: nil, head: { _ in },
                body: { bytes in body.withLock { $0.append(bytes) } })
            #expect(body.withLock { $0 } == Data("ok".utf8))
        }
    }
    #endif

    #if compiler(>=6.2)
    @Test("passes over the head of a proxy that opens a tunnel")
    func tunnel() async {
        // libcurl finds the proxy in the environment, which the tests of a process share.
        await #expect(processExitsWith: .success) {
            let proxy = try RawServer { _ in RawServer.Answer(bytes: "HTTP/1.1 200 Connection established\r\n\r\n") }
            setenv("https_proxy", proxy.url.absoluteString, 1)
            let url = try #require(URL(string: "https://proxied.example"))
            await #expect(throws: URLError.self) {
                try await CurlSession(idleTimeLimit: .seconds(10), connections: 1).receive(
                    URLRequest(url: url), from: nil, isRepeatable: true, until: nil,
                    head: { Issue.record("The proxy's head was passed on: \($0.status)") }, body: { _ in })
            }
            #expect(proxy.received.first?.hasPrefix("CONNECT proxied.example:443 ") == true)
        }
    }
    #endif

    @Test("sends no field that would begin another one")
    func injection() async throws {
        let server = try RawServer { _ in RawServer.Answer(bytes: Self.answer) }
        _ = try? await receive(from: server, by: session(), fields: ["A": "b\r\nC: d"])
        #expect(!server.received.joined().contains("C: d"))
    }
}
#endif
