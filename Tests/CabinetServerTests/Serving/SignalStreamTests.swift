import Cabinet
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

@Suite("A stream of signals")
struct SignalStreamTests {
    private let target = CabinetRoute.signals([.private], in: TestServer.container).target.description

    private func configuration(_ interval: Duration = .seconds(60)) -> RecordServer.Configuration {
        var configuration = RecordServer.Configuration()
        configuration.streamInterval = interval
        return configuration
    }

    @Test("begins with a signal, and has one after each change of the user's database")
    func changes() async throws {
        let server = try TestServer(configuration: configuration())
        let response = try await server.send(.get, target, token: "_ann")
        #expect(response.headerFields[.contentType] == SignalStream.contentType)
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Data(SignalStream.signal))
        try await server.save(Record("Notes", "n1", title: "Hello"), token: "_ann")
        #expect(try await chunks.next() == Data(SignalStream.signal))
        // Changes of Ben's database do not reach Ann's stream.
        try await server.save(Record("Notes", "n1", title: "Hello"), token: "_ben")
        server.server.endStreams()
        #expect(try await chunks.next() == nil)
        #expect(try await server.send(.get, target, token: "_ann").status == .serviceUnavailable)
    }

    @Test("needs a user for a private database")
    func anonymous() async throws {
        let server = try TestServer()
        #expect(try await server.send(.get, target).status == .unauthorized)
    }

    @Test("says that the service was closed")
    func end() async throws {
        let server = try TestServer(configuration: configuration())
        var chunks = try await server.send(.get, target, token: "_ann").body.makeAsyncIterator()
        #expect(try await chunks.next() == Data(SignalStream.signal))
        await server.service.close()
        #expect(try await chunks.next() == Data(SignalStream.end))
        #expect(try await chunks.next() == nil)
    }

    @Test("ends when the user's credentials are revoked")
    func revocation() async throws {
        let server = try TestServer(configuration: configuration(.milliseconds(20)))
        var chunks = try await server.send(.get, target, token: "_ann").body.makeAsyncIterator()
        #expect(try await chunks.next() == Data(SignalStream.signal))
        #expect(try await chunks.next() == Data(SignalStream.idle))
        server.revoked.revoke("_ann")
        while let chunk = try await chunks.next() { #expect(chunk == Data(SignalStream.idle)) }
    }

    @Test("holds nothing that its request's body has arrived in")
    func body() async throws {
        final class Buffer: Sendable {}
        let server = try TestServer(configuration: configuration())
        weak var buffer: Buffer?
        var response: HTTPResponse?
        do {
            let bytes = Buffer()
            buffer = bytes
            let body = HTTPBody { [bytes] in withExtendedLifetime(bytes) { nil } }
            response = try await server.send(.get, target, body, token: "_ann")
        }
        #expect(response?.status == .ok)
        #expect(buffer == nil)
        #expect(server.server.streams.count == 1)
        withExtendedLifetime(response) {}
    }

    @Test("does not hold its server, which the tasks of the first stream would")
    func release() async throws {
        weak var released: RecordServer?
        var response: HTTPResponse?
        do {
            let server = try TestServer(configuration: configuration())
            released = server.server
            response = try await server.send(.get, target, token: "_ann")
        }
        #expect(response?.status == .ok)
        #expect(released == nil)
        withExtendedLifetime(response) {}
    }

    @Test("is one of a limited number, until its client has gone")
    func limit() async throws {
        var configuration = configuration()
        configuration.limits.streams = 2
        let server = try TestServer(configuration: configuration)
        do {
            let streams = [
                try await server.send(.get, target, token: "_ann"), try await server.send(.get, target, token: "_ann"),
            ]
            #expect(streams.map(\.status) == [.ok, .ok])
            #expect(try await server.send(.get, target, token: "_ann").status == .tooManyRequests)
            #expect(try await server.send(.get, target, token: "_ben").status == .ok)
            withExtendedLifetime(streams) {}
        }
        for _ in 0..<20_000 where server.server.streams.count > 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try await server.send(.get, target, token: "_ann").status == .ok)
    }
}
