import Cabinet
import CabinetWire
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Signals of a server, over connections that are made again whenever they break.
final class RemoteSignals: Sendable {
    private struct State {
        var isClosed = false
        var tasks: [UUID: Task<Void, Never>] = [:]
    }

    private let address: ServerAddress
    private let credentials: Credentials
    private let session: RemoteSession
    private let state = Mutex(State())

    /// The most streams at once; each has a connection.
    private static let connections = 1_000

    init(_ address: ServerAddress, _ credentials: Credentials, _ configuration: RemoteConfiguration) {
        (self.address, self.credentials) = (address, credentials)
        session = RemoteSession(silence: configuration.silence, connections: Self.connections)
    }

    func close() {
        let tasks = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.tasks.values
        }
        for task in tasks { task.cancel() }
        session.close()
    }

    /// Returns the signals of a route; a stream that ends at once if the service is closed.
    func stream(_ route: CabinetRoute, for caller: Caller) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        state.withLock { state in
            if state.isClosed { return continuation.finish() }
            continuation.yield()
            let task = Task { [weak self, session, address, credentials] in
                let delay = Mutex(0.1)
                while !Task.isCancelled {
                    let ending = await Self.follow(route, for: caller, session, address, credentials) {
                        delay.withLock { $0 = 0.1 }
                        continuation.yield()
                    }
                    if ending == .closed { break }
                    // The next read of the observer reports why.
                    if ending == .refused { continuation.yield() }
                    let seconds = delay.withLock { delay in
                        defer { delay = min(delay * 2, 5) }
                        return Double.random(in: delay / 2...delay)
                    }
                    try? await Task.sleep(for: .seconds(seconds))
                }
                continuation.finish()
                self?.remove(id)
            }
            state.tasks[id] = task
            continuation.onTermination = { _ in task.cancel() }
        }
        return stream
    }

    private func remove(_ id: UUID) {
        state.withLock { $0.tasks[id] = nil }
    }

    /// The end of one connection.
    private enum Ending {
        /// The service of the server was closed, after which nothing follows.
        case closed
        /// The server has refused the request.
        case refused
        /// The connection broke, or none was made; another one follows.
        case broken
    }

    /// Reads the signals of one connection.
    private static func follow(
        _ route: CabinetRoute, for caller: Caller, _ session: RemoteSession, _ address: ServerAddress,
        _ credentials: Credentials, onSignal: @escaping @Sendable () -> Void
    ) async -> Ending {
        guard
            let request = try? await address.request(
                route, body: nil, for: caller, credentials, id: UUID().uuidString)
        else { return .broken }
        let state = Mutex((reader: SignalStream.Reader(), ending: Ending.broken))
        try? await session.receive(
            request,
            head: { head in
                if head.statusCode == 200 { return }
                if 400..<500 ~= head.statusCode { state.withLock { $0.ending = .refused } }
                throw URLError(.badServerResponse)
            },
            body: { bytes in
                let events = state.withLock { $0.reader.events(in: bytes) }
                if events.contains(.signal) { onSignal() }
                guard events.contains(.end) else { return }
                state.withLock { $0.ending = .closed }
                throw URLError(.cancelled)
            })
        return state.withLock { $0.ending }
    }
}
