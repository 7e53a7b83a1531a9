import CabinetServer
import Foundation
import Testing

@testable import CabinetListener

@Suite("A program that listens until a signal: its beginning and its end")
struct RunningTests {
    private static let address = HTTPAddress.network(host: "127.0.0.1", port: 0)

    @Test("A request that arrives before the handler exists waits for it", .timeLimit(.minutes(1)))
    func earlyRequest() async throws {
        var early: RawClient?
        let listener = try HTTPListener(.init(addresses: [Self.address])) { urls in
            let client = try RawClient(to: HTTPAddress(String(urls[0].dropFirst("http://".count))))
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            early = client
            return { _ in HTTPResponse(body: HTTPBody("Hello")) }
        }
        let client = try #require(early)
        let answer = try await onThread { try client.readAll() }
        #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("\r\nHello"))
        await listener.stop()
    }

    @Test("A signal that arrives as soon as the address is known ends the program", .timeLimit(.minutes(1)))
    func earlySignal() async throws {
        for _ in 0..<20 {
            // Its usual effect is the end of the process.
            try await HTTPListener.run(.init(addresses: [Self.address]), untilSignals: [SIGUSR2]) { _ in
                kill(getpid(), SIGUSR2)
                return { _ in HTTPResponse(body: HTTPBody("Hello")) }
            }
        }
    }

    @Test("A program without a handler does not listen")
    func failure() async throws {
        struct Refusal: Error {}
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock")
            .path
        await #expect(throws: Refusal.self) {
            try await HTTPListener.run(.init(addresses: [.unixSocket(path: path)])) { _ in throw Refusal() }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A program without its supervising thread ends before it says where it listens")
    func refusedThread() throws {
        let core = try ListenerCore(configuration: .init(addresses: []))
        defer { core.stopDaemons() }
        #expect {
            try Supervisor(core: core, sockets: [], startThread: { _, _ in false }) {
                Issue.record("The handler was created.")
                return { _ in HTTPResponse() }
            }
        } throws: {
            ($0 as? HTTPError)?.status == .serviceUnavailable
        }
    }
}
