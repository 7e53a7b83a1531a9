import Cabinet
import CabinetWire
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Signals of a server, over connections that are made again whenever they break.
final class RemoteSignals: Sendable {
    private let address: ServerAddress
    private let credentials: Credentials
    private let session: any RemoteSession
    private let tasks = SignalTasks()

    /// The most streams at once; each has a connection.
    static let connections = 1_000

    init(_ address: ServerAddress, _ credentials: Credentials, _ configuration: RemoteConfiguration) {
        (self.address, self.credentials) = (address, credentials)
        session = makeSession(idleTimeLimit: configuration.idleTimeLimit, connections: Self.connections)
    }

    func close() {
        tasks.close()
        session.close()
    }

    /// Returns the signals of a route.
    func stream(_ route: CabinetRoute, for caller: Caller) -> AsyncStream<Void> {
        tasks.stream { [session, address, credentials] onSignal in
            await Self.follow(route, for: caller, session, address, credentials, onSignal: onSignal)
        }
    }

    /// Reads the signals of one connection.
    private static func follow(
        _ route: CabinetRoute, for caller: Caller, _ session: any RemoteSession, _ address: ServerAddress,
        _ credentials: Credentials, onSignal: @escaping @Sendable () -> Void
    ) async -> SignalTasks.Ending {
        guard
            let request = try? await address.request(
                route, body: nil, for: caller, credentials, id: UUID().uuidString)
        else { return .broken }
        let state = Mutex((reader: SignalStream.Reader(), ending: SignalTasks.Ending.broken))
        try? await session.receive(
            request, from: nil, isRepeatable: true, until: nil,
            head: { head in
                if head.status == 200 { return }
                if 400..<500 ~= head.status { state.withLock { $0.ending = .refused } }
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
