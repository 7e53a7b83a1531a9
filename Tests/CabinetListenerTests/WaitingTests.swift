import CabinetListener
import CabinetServer
import Foundation
import Synchronization
import Testing

@Suite("Waiting requests: without a thread, cancelled, stopped")
struct WaitingTests {
    /// Handlers that wait until all are let go.
    private final class Gate: Sendable {
        private let waiters = Mutex<[CheckedContinuation<Void, Never>]>([])
        private let cancelled = Mutex(0)

        var count: Int { waiters.withLock { $0.count } }
        var cancelledCount: Int { cancelled.withLock { $0 } }

        func wait() async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in waiters.withLock { $0.append(continuation) } }
            } onCancel: {
                cancelled.withLock { $0 += 1 }
            }
        }

        func open() {
            let all = waiters.withLock { waiters in
                defer { waiters = [] }
                return waiters
            }
            for waiter in all { waiter.resume() }
        }
    }

    private static func currentThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

    private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("A thousand requests wait, others are answered beside them, and then all are at once")
    func thousand() async throws {
        HTTPListener.raiseFileLimit(to: 8_192)
        let gate = Gate()
        var limits = HTTPLimits()
        limits.connectionsPerAddress = 2_000
        let test = try TestListener(limits: limits) { request in
            if request.path != "/alive" { await gate.wait() }
            return try await TestListener.hello(request)
        }
        let clients = try await onThread {
            try (0..<1_000).map { _ in
                let client = try test.connect()
                try client.send(Self.get)
                return client
            }
        }
        #expect(try await eventually { gate.count == 1_000 && test.listener.counters.waitingRequests == 1_000 })
        try await test.expectAlive()
        gate.open()
        try await onThread {
            for client in clients { _ = try client.read(until: "GET /a 0") }
        }
        #expect(test.listener.counters.waitingRequests == 0)
        #expect(try await eventually { test.listener.counters.requests == 1_001 })
    }

    @Test("After a wait, a request goes on on its thread of libmicrohttpd, and streams its response on others")
    func sameThread() async throws {
        let gate = Gate()
        let test = try TestListener { _ in
            let first = Self.currentThread()
            await gate.wait()
            let second = Self.currentThread()
            await gate.wait()
            let third = Self.currentThread()
            return HTTPResponse(body: HTTPBody(Data("\(first == second) \(second == third)".utf8)))
        }
        let client = try test.connect()
        try client.send(Self.get)
        for _ in 0..<2 {
            // The connection is suspended a moment after the task has begun to wait.
            #expect(try await eventually { gate.count == 1 && test.listener.counters.waitingRequests == 1 })
            gate.open()
        }
        #expect(try await onThread { try client.read(until: "true true") }.isEmpty == false)
    }

    @Test("Requests whose waits end while their clients go away end too", .timeLimit(.minutes(5)))
    func race() async throws {
        let gate = Gate()
        let test = try TestListener { request in
            if request.path != "/alive" { for _ in 0..<3 { await gate.wait() } }
            return try await TestListener.hello(request)
        }
        for round in 0..<200 {
            let clients = try (0..<4).map { _ in
                let client = try test.connect()
                try client.send(Self.get)
                return client
            }
            if round.isMultiple(of: 2) { #expect(try await eventually { gate.count > 0 }) }
            async let opened: Void = onThread { for _ in 0..<50 { gate.open() } }
            for client in clients { client.disconnect() }
            try await opened
        }
        #expect(
            try await eventually {
                gate.open()
                return test.listener.counters.openConnections == 0
            })
        try await test.expectAlive()
    }

    @Test("A client that goes away cancels its request, also while it reads a stream")
    func disconnected() async throws {
        let gate = Gate()
        let test = try TestListener { request in
            if request.path == "/stream" {
                return HTTPResponse(
                    body: HTTPBody(length: nil) {
                        await gate.wait()
                        try Task.checkCancellation()
                        return Data()
                    })
            }
            await gate.wait()
            try Task.checkCancellation()
            return HTTPResponse()
        }
        let clients = try ["/a", "/stream"].map { path in
            let client = try test.connect()
            try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        #expect(try await eventually { gate.count == 2 })
        for client in clients { client.disconnect() }
        #expect(try await eventually { gate.cancelledCount == 2 })
        gate.open()
        #expect(try await eventually { test.listener.counters.openConnections == 0 })
    }

    @Test("An end waits for the requests under way, and accepts no others")
    func stop() async throws {
        let gate = Gate()
        // The idle client is not one that is late with its request, however busy the machine is.
        var limits = HTTPLimits()
        (limits.headTime, limits.idleTime) = (.seconds(600), .seconds(600))
        let test = try TestListener(limits: limits) { request in
            await gate.wait()
            return try await TestListener.hello(request)
        }
        let idle = try test.connect()
        let client = try test.connect()
        try client.send(Self.get)
        #expect(try await eventually { gate.count == 1 })
        let end = Task { await test.listener.stop(within: .seconds(Int64.max)) }
        #expect(try await onThread { try idle.read() }.isEmpty)
        #expect(throws: RawClient.Failure.self) { try test.connect() }
        gate.open()
        let answer = try await onThread { try client.readAll() }
        #expect(answer.contains("Connection: close") && answer.hasSuffix("GET /a 0"))
        await end.value
        #expect(test.listener.counters.requests == 1)
        await test.listener.stop()
        #expect(throws: HTTPError.self) { try test.listener.reload() }
    }

    @Test("An end with a limit cancels the requests, and closes those that do not notice")
    func stopWithLimit() async throws {
        let gate = Gate()
        let test = try TestListener { request in
            if request.path == "/polite" { try await Task.sleep(for: .seconds(600)) }
            if request.path == "/stream" {
                return HTTPResponse(
                    body: HTTPBody(length: nil) {
                        await gate.wait()
                        return nil
                    })
            }
            await gate.wait()
            return HTTPResponse()
        }
        let clients = try ["/polite", "/stubborn", "/stream"].map { path in
            let client = try test.connect()
            try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        #expect(try await eventually { gate.count == 2 && test.listener.counters.waitingRequests == 3 })
        // Enough for a cancelled task among those of many other tests.
        await test.listener.stop(within: .seconds(25))
        let answers = try await onThread { try clients.map { try $0.readAll() } }
        #expect(answers[0].hasPrefix("HTTP/1.1 503 "))
        #expect(answers[1] == "")
        #expect(answers[2].hasPrefix("HTTP/1.1 200 ") && !answers[2].hasSuffix("0\r\n\r\n"))
        gate.open()
    }

    @Test("A listener that is released ends")
    func released() async throws {
        var test: TestListener? = try TestListener()
        let address = try #require(test?.address)
        test = nil
        #expect(try await eventually { (try? RawClient(to: address)) == nil })
    }

    @Test("Stopping at once while clients connect and send loses no thread")
    func stopUnderLoad() async throws {
        for _ in 0..<5 {
            let test = try TestListener { request in
                try await Task.sleep(for: .milliseconds(1))
                return try await TestListener.hello(request)
            }
            let load = Task {
                try await onThread {
                    while let client = try? test.connect() {
                        do {
                            try client.send(Self.get + Self.get)
                            _ = try client.read()
                        } catch { continue }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            await test.listener.stop(within: .zero)
            _ = try await load.value
        }
    }
}
