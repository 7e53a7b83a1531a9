import CabinetListener
import CabinetServer
import Foundation
import Testing

/// Runs code that blocks on a thread of its own, so that the requests of the listener find one of Swift's.
func onThread<Output: Sendable>(_ body: @escaping @Sendable () throws -> Output) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// A listener on a free port of this machine, until the test ends.
struct TestListener: Sendable {
    let listener: HTTPListener
    let address: HTTPAddress

    init(
        at address: HTTPAddress = .network(host: "127.0.0.1", port: 0), tls: HTTPListener.TLS? = nil,
        limits: HTTPLimits = HTTPLimits(), handler: @escaping HTTPHandler = TestListener.hello
    ) throws {
        try self.init(
            .init(addresses: [address], tls: tls, limits: limits, threads: 2), handler: handler)
    }

    init(_ configuration: HTTPListener.Configuration, handler: @escaping HTTPHandler) throws {
        listener = try HTTPListener(configuration, handler: handler)
        self.address = try #require(listener.addresses.first)
    }

    /// Answers with the method and path, and with the length of the body.
    static let hello: HTTPHandler = { request in
        let body = try await request.body.collect(upTo: 1 << 20)
        return try HTTPResponse(
            contentType: "text/plain", body: HTTPBody("\(request.method) \(request.path) \(body.count)"))
    }

    /// Connects a client.
    func connect() throws -> RawClient { try RawClient(to: address) }

    /// Sends text over a connection of its own, and returns all that comes until the server closes it.
    func exchange(_ text: String) async throws -> String {
        try await onThread {
            let client = try connect()
            try client.send(text)
            return try client.readAll()
        }
    }

    /// Expects that the listener still answers.
    func expectAlive(_ location: SourceLocation = #_sourceLocation) async throws {
        let answer = try await exchange("GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasSuffix("GET /alive 0"), sourceLocation: location)
    }
}

/// Waits until a condition holds.
func eventually(_ condition: @Sendable () -> Bool) async throws -> Bool {
    for _ in 0..<12_000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    return condition()
}
