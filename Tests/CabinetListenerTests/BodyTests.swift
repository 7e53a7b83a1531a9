import CabinetListener
import CabinetServer
import Foundation
import Synchronization
import Testing

@Suite("Bodies: streamed both ways in little memory", .serialized)
struct BodyTests {
    /// The memory of the process in bytes, on systems that show it in a file.
    private static var residentBytes: Int {
        let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return status?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4_096 } ?? 0
    }

    /// Calls a function when the last value that refers to it is released.
    private final class Lifetime: Sendable {
        private let end: @Sendable () -> Void

        init(end: @escaping @Sendable () -> Void) {
            self.end = end
        }

        deinit {
            end()
        }
    }

    @Test("300 MB come in, and go out again, in chunks")
    func stream() async throws {
        let length: Int64 = 300_000_000
        let chunk = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0) })
        var limits = HTTPLimits()
        limits.bodySize = length
        let test = try TestListener(limits: limits) { request in
            if request.method == .get {
                let rest = Mutex(length)
                return HTTPResponse(
                    body: HTTPBody(length: request.path == "/chunked" ? nil : length) {
                        rest.withLock { rest in
                            rest -= Int64(chunk.count)
                            return rest >= 0 ? chunk : nil
                        }
                    })
            }
            var count = 0
            for try await chunk in request.body { count += chunk.count }
            return HTTPResponse(body: HTTPBody("\(count) bytes"))
        }
        let before = Self.residentBytes
        let answers = try await onThread {
            let client = try test.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
            for _ in 0..<(length / 50_000) { try client.send(chunk) }
            let answer = try client.read(until: "bytes")
            var counts: [Int] = []
            for path in ["/chunked", "/known"] {
                let client = try test.connect()
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                var count = 0
                while case let chunk = try client.read(), !chunk.isEmpty { count += chunk.count }
                counts.append(count)
            }
            return (answer, counts)
        }
        #expect(answers.0.hasSuffix("\r\n\r\n300000000 bytes"))
        #expect(answers.1.allSatisfy { $0 > length })
        // Other tests run beside this one; what is read here has five times as many bytes.
        #expect(Self.residentBytes - before < 150 << 20)
    }

    @Test("A body of 1 GB is refused before it comes")
    func tooLong() async throws {
        let test = try TestListener()
        let answer = try await onThread {
            let client = try test.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
            return try client.readAll()
        }
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        try await test.expectAlive()
        #expect(test.listener.counters.bytesReceived == 0)
    }

    @Test("A client that sends a refused body all the same reads the response")
    func lingering() async throws {
        var limits = HTTPLimits()
        limits.bodySize = 1_000
        let test = try TestListener(limits: limits) { request in
            if request.path == "/forbidden" { throw HTTPError(.forbidden, "No.") }
            return try await TestListener.hello(request)
        }
        for (path, length, status) in [("/", 5_000_000, 413), ("/forbidden", 999, 403)] {
            let answer = try await onThread {
                let client = try test.connect()
                try client.send(
                    "POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(length)\r\n\r\n")
                for _ in 0..<(length / 999) { try client.send(Data(count: 999)) }
                return try client.readAll()
            }
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        }
        try await test.expectAlive()
    }

    @Test("A listener without a limit ignores a body that the handler does not read")
    func unlimited() async throws {
        var limits = HTTPLimits()
        limits.bodySize = .max
        let test = try TestListener(limits: limits) { _ in throw HTTPError(.forbidden, "No.") }
        let answer = try await onThread {
            let client = try test.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 999\r\n\r\n")
            try client.send(Data(count: 999))
            return try client.readAll()
        }
        #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(answer)")
    }

    @Test("A chunked body is refused when it passes the limit, of the listener or of the handler")
    func tooLongInChunks() async throws {
        var limits = HTTPLimits()
        limits.bodySize = 100_000
        let test = try TestListener(limits: limits) { request in
            guard request.path == "/short" else { return try await TestListener.hello(request) }
            return HTTPResponse(body: HTTPBody("\(try await request.body.collect(upTo: 1_000).count)"))
        }
        for (path, count, status) in [("/short", 10, 413), ("/", 9, 200), ("/", 20, 413)] {
            let answer = try await onThread {
                let client = try test.connect()
                try client.send(
                    "POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
                let chunk = "2710\r\n" + String(repeating: "a", count: 10_000) + "\r\n"
                for _ in 0..<count { try client.send(chunk) }
                try client.send("0\r\n\r\n")
                return try client.readAll()
            }
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path) \(count): \(answer)")
        }
        try await test.expectAlive()
    }

    @Test("An endless chunked body ends the connection")
    func endless() async throws {
        var limits = HTTPLimits()
        limits.bodySize = 100_000
        let test = try TestListener(limits: limits)
        try await onThread {
            let client = try test.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "2710\r\n" + String(repeating: "a", count: 10_000) + "\r\n"
            #expect(throws: RawClient.Failure.self) { while true { try client.send(chunk) } }
        }
        #expect(test.listener.counters.bytesReceived < 20_000_000)
        try await test.expectAlive()
    }

    @Test("A handler that reads slowly makes its client wait")
    func backPressure() async throws {
        let taken = Mutex(0)
        let test = try TestListener { request in
            for try await chunk in request.body {
                taken.withLock { $0 += chunk.count }
                try await Task.sleep(for: .milliseconds(1))
                if taken.withLock({ $0 }) > 100_000 { try await Task.sleep(for: .seconds(60)) }
            }
            return HTTPResponse()
        }
        let sent = Mutex(0)
        let client = try test.connect()
        Thread.detachNewThread {
            try? client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000000\r\n\r\n")
            while (try? client.send(Data(count: 100_000))) != nil { sent.withLock { $0 += 100_000 } }
        }
        #expect(try await eventually { taken.withLock { $0 } > 100_000 })
        try await Task.sleep(for: .milliseconds(200))
        // The rest is in the buffers of the system.
        #expect(sent.withLock { $0 } < 50_000_000)
        #expect(taken.withLock { $0 } < 200_000)
        client.endSending()
    }

    @Test("A client that reads slowly makes the stream wait, and one that goes away ends it")
    func slowReader() async throws {
        let made = Mutex(0)
        let isReleased = Mutex(false)
        let test = try TestListener { _ in
            let lifetime = Lifetime { isReleased.withLock { $0 = true } }
            return HTTPResponse(
                body: HTTPBody(length: nil) {
                    withExtendedLifetime(lifetime) { made.withLock { $0 += 100_000 } }
                    return Data(count: 100_000)
                })
        }
        let client = try test.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try await Task.sleep(for: .milliseconds(300))
        #expect(made.withLock { $0 } < 100_000_000)
        client.disconnect()
        #expect(try await eventually { test.listener.counters.requests == 1 })
        // A task that is not resumed would keep its stream.
        #expect(try await eventually { isReleased.withLock { $0 } })
    }

    @Test("A chunk reaches the client although the next one does not exist yet")
    func events() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let test = try TestListener { _ in HTTPResponse(body: HTTPBody(stream)) }
        let answer = try await onThread {
            let client = try test.connect()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            var answer = try client.read(until: "\r\n\r\n")
            for event in ["one", "two"] {
                continuation.yield(Data(event.utf8))
                answer += try client.read(until: "\(event)\r\n")
            }
            continuation.finish()
            return try answer + client.read(until: "0\r\n\r\n")
        }
        #expect(answer.hasSuffix("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
    }

    @Test("A body that is polled sends a chunk when it has one, and is released when its client or its listener goes")
    func polled() async throws {
        let bodies = Mutex<[WeakQueue]>([])
        let test = try TestListener { _ in
            let queue = ChunkQueue()
            queue.add("start ")
            bodies.withLock { $0.append(WeakQueue(queue: queue)) }
            return HTTPResponse(body: HTTPBody(polling: queue.poll))
        }
        let queue = { @Sendable (index: Int) in bodies.withLock { $0.indices.contains(index) ? $0[index].queue : nil } }
        let clients = try await onThread {
            try (0..<3).map { index in
                let client = try test.connect()
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.read(until: "start \r\n")
                queue(index)?.add("one")
                _ = try client.read(until: "one\r\n")
                return client
            }
        }
        queue(0)?.add("two")
        queue(0)?.end()
        #expect(try await onThread { try clients[0].read(until: "0\r\n\r\n") }.contains("3\r\ntwo\r\n"))
        clients[1].disconnect()
        for index in 0..<2 { #expect(try await eventually { queue(index) == nil }) }
        #expect(queue(2) != nil)
        await test.listener.stop(within: .milliseconds(100))
        #expect(try await eventually { queue(2) == nil })
    }

    @Test("A stream that fails, or is shorter than its length, ends the connection")
    func brokenStreams() async throws {
        let test = try TestListener { request in
            let count = Mutex(0)
            let isFailure = request.path == "/failure"
            return HTTPResponse(
                body: HTTPBody(length: isFailure ? nil : 100) {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    if number == 1 { return Data("part".utf8) }
                    if isFailure { throw HTTPError(.internalServerError, "broken") }
                    return nil
                })
        }
        for path in ["/failure", "/short"] {
            let answer = try await test.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(answer.contains("part") && !answer.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test("A body cannot be read after the response was returned")
    func lateReader() async throws {
        let test = try TestListener { request in
            request.method == .get
                ? try await TestListener.hello(request) : HTTPResponse(body: HTTPBody(request.body))
        }
        let answer = try await test.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
        #expect(!answer.contains("hello"))
        try await test.expectAlive()
    }

    @Test("A request whose response holds its body is released with its connection")
    func released() async throws {
        let isReleased = Mutex(false)
        let test = try TestListener { request in
            let lifetime = Lifetime { isReleased.withLock { $0 = true } }
            return HTTPResponse(
                body: HTTPBody {
                    withExtendedLifetime(lifetime) {}
                    return try await request.body.collect(upTo: 1 << 20)
                })
        }
        _ = try await test.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
        #expect(try await eventually { isReleased.withLock { $0 } })
    }
}

/// Chunks for a body that is polled.
private final class ChunkQueue: Sendable {
    private struct State {
        var chunks: [Data] = []
        var hasEnd = false
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func add(_ text: String) { change { $0.chunks.append(Data(text.utf8)) } }
    func end() { change { $0.hasEnd = true } }

    private func change(_ body: (inout State) -> Void) {
        let wake = state.withLock { state in
            body(&state)
            return state.wake.take()
        }
        wake?()
    }

    func poll(_ wake: @escaping @Sendable () -> Void) -> Data? {
        state.withLock { state in
            if !state.chunks.isEmpty { return state.chunks.removeFirst() }
            if state.hasEnd { return nil }
            state.wake = wake
            return Data()
        }
    }
}

private struct WeakQueue {
    weak var queue: ChunkQueue?
}
