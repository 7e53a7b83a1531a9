import Cabinet
import CabinetListener
import CabinetRemote
import CabinetServer
import CabinetWire
import Foundation

/// A store that clients reach over a loopback connection to a server in this process, which answers as if it were some way off.
final class ServedStore {
    /// The time that a request and its answer take in the network.
    private static let roundTrip = Duration.milliseconds(20)

    private static let user = "_user"

    private let service: LocalDatabaseService
    private let listener: HTTPListener
    private let server: RecordServer
    private let url: URL
    private let container: WireContainer

    init(_ backend: any StorageBackend, identifier: String) throws {
        let service = try LocalDatabaseService(backend: backend)
        let container = WireContainer(identifier: identifier, environment: .development)
        var configuration = RecordServer.Configuration()
        configuration.limits.user = .init(perSecond: 100_000, burst: 1_000_000)
        configuration.limits.address = .init(perSecond: 100_000, burst: 1_000_000)
        let server = RecordServer([container: service], authenticator: Access(), configuration: configuration)
        listener = try HTTPListener(
            .init(addresses: [.network(host: "127.0.0.1", port: 0)], threads: 2)
        ) { [handler = server.handler] request in
            try await Task.sleep(for: Self.roundTrip)
            return try await handler(request)
        }
        guard let url = URL(string: listener.urls[0]) else { throw URLError(.badURL) }
        self.service = service
        self.server = server
        self.url = url
        self.container = container
    }

    /// Returns a container whose records are in the store.
    func client() throws -> Container {
        try Container(
            identifier: container.identifier, server: url,
            credentials: .bearer("token", userRecordName: Self.user))
    }

    func close() async {
        server.endStreams()
        await listener.stop(within: .seconds(5))
        await service.close()
    }

    /// Knows one user.
    private struct Access: Authenticator {
        func authenticate(
            _ request: HTTPRequest, body: Data, in container: WireContainer
        ) async throws -> Authentication { Authentication(Account(userRecordName: ServedStore.user)) }
    }
}
