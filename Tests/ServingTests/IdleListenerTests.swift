#if os(Linux)
import Cabinet
import Foundation
import Testing

/// Many clients that wait for signals, each with a connection of its own.
@Suite("Idle listeners", .serialized)
struct IdleListenerTests {
    @Test("take little memory and no threads, learn of a change, and leave nothing behind")
    func listeners() async throws {
        // This process needs a descriptor for each of them, and so does the server.
        let count = Soak.isAsked ? 10_000 : 500
        Self.raiseFileLimit()
        let server = try await RestartedServer(limits: ["streams": 20_000, "connectionsPerAddress": 20_000])
        let process = ServerProcess(id: server.processID)
        let client = try server.client()
        try await client.privateDatabase.save(Record(recordType: "Notes"))
        let (memory, threads, descriptors) = (try process.memory, try process.threads, try process.descriptors)

        var listeners: [Listener] = []
        while listeners.count < count {
            let next = try (0..<min(100, count - listeners.count)).map { _ in try Listener(server) }
            // Each gets a first signal.
            for listener in next { try listener.awaitSignal() }
            listeners += next
        }
        #expect(try process.descriptors >= descriptors + count)
        let full = try process.memory
        // Of a debug build, whose tasks need more memory: 20 KB each, and 17 of an optimized one.
        #expect(full - memory < count * 21_000 + 20 << 20)
        #expect(try process.threads <= threads + 16)
        Soak.report(
            "\(count) listeners: \(full >> 20) MB (before: \(memory >> 20) MB), \(try process.threads) threads, "
                + "\(try process.descriptors) descriptors")

        let start = ContinuousClock.now
        try await client.privateDatabase.save(Record(recordType: "Notes"))
        for listener in listeners { try listener.awaitSignal() }
        Soak.report("\(count) listeners learned of a change within \(start.duration(to: .now))")

        listeners = []
        for _ in 0..<300 where try process.descriptors > descriptors + 16 {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try process.descriptors <= descriptors + 16)
        Soak.report("after they have gone: \(try process.memory >> 20) MB, \(try process.descriptors) descriptors")
        await client.close()
        try await server.end()
    }

    private static func raiseFileLimit() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        getrlimit(resource, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}

/// A connection that waits for signals.
private final class Listener {
    private let socket: Int32

    init(_ server: RestartedServer) throws {
        socket = Sockets.make()
        let port = try server.port
        guard Sockets.withAddress(port: port, { connect(socket, $0, $1) }) == 0 else {
            throw URLError(.cannotConnectToHost)
        }
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let head = [
            "GET /cabinet/1/\(RestartedServer.container)/development/signals?scope=private HTTP/1.1", "Host: 127.0.0.1",
            "Authorization: Bearer \(server.token)", "Cabinet-User: \(server.user)", "", "",
        ].joined(separator: "\r\n")
        guard Sockets.send(Array(head.utf8)[...], to: socket) else { throw URLError(.networkConnectionLost) }
    }

    deinit { _ = close(socket) }

    /// The connection has ended, or was silent for a minute.
    private struct Failure: Error {
        let received: String
    }

    /// Reads until a signal has arrived.
    func awaitSignal() throws {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var received = ""
        while true {
            let count = recv(socket, &bytes, bytes.count, 0)
            guard count > 0 else { throw Failure(received: received) }
            received += String(decoding: bytes[..<count], as: UTF8.self)
            if Data(bytes[..<count]).range(of: Data("data:".utf8)) != nil { return }
        }
    }
}
#endif
