import CabinetListener
import CabinetServer
import Foundation
import Testing

@Suite("Slow clients: each is answered with 408 or closed, however it drips")
struct TimeLimitTests {
    private static var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.headTime = .milliseconds(500)
        limits.bodyTime = .milliseconds(500)
        limits.idleTime = .seconds(1)
        return limits
    }

    /// Sends a byte every 50 ms until the server closes the connection.
    private func drip(_ start: String, _ byte: String) async throws -> String {
        let test = try TestListener(limits: Self.limits)
        let answer = try await onThread {
            let client = try test.connect()
            try client.send(start)
            for _ in 0..<400 {
                do { try client.send(byte) } catch { break }
                Thread.sleep(forTimeInterval: 0.05)
            }
            return try client.readAll()
        }
        #expect(test.listener.counters.lateConnections == 1)
        try await test.expectAlive()
        return answer
    }

    @Test(
        "A line, a head and a body that drip",
        arguments: [
            "GET /", "GET / HTTP/1.1\r\nHost: a\r\nX: ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n",
        ])
    func drips(start: String) async throws {
        let answer = try await drip(start, "a")
        #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
    }

    @Test("A second request on a connection that drips")
    func second() async throws {
        let answer = try await drip("GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nX: ", "a")
        #expect(answer.contains("GET /first 0HTTP/1.1 408 "), "\(answer)")
    }

    @Test(
        "A connection without a request, and one after its request, are closed",
        arguments: [
            "", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        ])
    func silent(start: String) async throws {
        let test = try TestListener(limits: Self.limits)
        _ = try await test.exchange(start)
        try await test.expectAlive()
    }

    @Test(
        "A response that the client takes too slowly ends, by the rate or, in memory, by the whole time",
        .timeLimit(.minutes(5)), arguments: [(16 << 20, .seconds(600)), (1, .seconds(2))] as [(Int64, Duration)])
    func slowReader(rate: Int64, time: Duration) async throws {
        var limits = HTTPLimits()
        (limits.idleTime, limits.minimumSendRate, limits.sendTime) = (.seconds(4), rate, time)
        let size = 32 << 20
        let test = try TestListener(limits: limits) { _ in HTTPResponse(body: HTTPBody(Data(count: size))) }
        let received = try await onThread {
            let client = try test.connect()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            var received = 0
            while case let chunk = try client.read(), !chunk.isEmpty {
                received += chunk.count
                // The bytes in the kernel are read at once.
                if test.listener.counters.lateConnections == 0 { Thread.sleep(forTimeInterval: 0.05) }
            }
            return received
        }
        #expect(received < size)
        #expect(test.listener.counters.lateConnections == 1)
    }

    @Test("A steady body may take longer than the limit, and so may a request that the server answers late")
    func steady() async throws {
        var limits = Self.limits
        limits.bodyTime = .seconds(2)
        limits.idleTime = .seconds(2)
        let test = try TestListener(limits: limits) { request in
            let answer = try await TestListener.hello(request)
            try await Task.sleep(for: .seconds(3))
            return answer
        }
        let answer = try await onThread {
            let client = try test.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10000\r\n\r\n")
            for _ in 0..<20 {
                try client.send(String(repeating: "a", count: 500))
                Thread.sleep(forTimeInterval: 0.2)
            }
            return try client.readAll()
        }
        #expect(answer.hasSuffix("POST / 10000"))
    }
}
