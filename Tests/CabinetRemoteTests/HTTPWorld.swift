import Cabinet
import CabinetListener
import CabinetRemote
import CabinetServer
import CabinetTesting
import CabinetWire
import Foundation
import Synchronization

/// A server that listens on a port of this machine, for the services that tests add.
final class HTTPWorld: Sendable {
    /// The server that all rules share.
    static let shared = Result { try HTTPWorld() }

    /// The services by the identifiers of their containers.
    private final class Services: Sendable {
        let all = Mutex<[WireContainer: any DatabaseService]>([:])
    }

    private let services = Services()
    let server: RecordServer
    private let listener: Mutex<HTTPListener?>
    let url: URL

    /// Starts a server.
    ///
    /// - Parameter port: The port, or 0 for a free one.
    init(port: Int = 0) throws {
        let authenticator = BearerAuthenticator { token, _ in
            guard let text = Data(base64Encoded: token).map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
            let parts = text.split(separator: "\n").map(String.init)
            return Account(userRecordName: parts[0], roles: Set(parts.dropFirst()))
        }
        var configuration = RecordServer.Configuration()
        configuration.limits.user = .init(perSecond: 100_000, burst: 1_000_000)
        configuration.limits.address = .init(perSecond: 100_000, burst: 1_000_000)
        configuration.limits.time = .seconds(200)
        server = RecordServer(authenticator: authenticator, configuration: configuration) { [services] container in
            services.all.withLock { $0[container] }
        }
        let listener = try HTTPListener(
            .init(addresses: [.network(host: "127.0.0.1", port: port)], threads: 2), handler: server.handler)
        guard let url = URL(string: listener.urls[0]) else { throw URLError(.badURL) }
        self.url = url
        self.listener = Mutex(listener)
    }

    /// Serves a service under a new identifier.
    func add(_ service: any DatabaseService) -> WireContainer {
        let container = WireContainer(identifier: "c-\(UUID().uuidString)", environment: .development)
        services.all.withLock { $0[container] = service }
        return container
    }

    /// Serves a service under a known identifier.
    func add(_ service: any DatabaseService, as container: WireContainer) {
        services.all.withLock { $0[container] = service }
    }

    func remove(_ container: WireContainer) {
        services.all.withLock { _ = $0.removeValue(forKey: container) }
    }

    /// The credentials of an account, as the server's authenticator reads them.
    static func credentials(_ account: Account?) -> Credentials {
        guard let account else { return .anonymous }
        let text = ([account.userRecordName] + account.roles.sorted()).joined(separator: "\n")
        return .bearer(Data(text.utf8).base64EncodedString(), userRecordName: account.userRecordName)
    }

    /// Ends the streams and the listener.
    func stop() async {
        server.endStreams()
        let listener = listener.withLock { $0.take() }
        await listener?.stop(within: .seconds(5))
    }
}

/// A service that is reached through a client, HTTP and a server.
final class HTTPService: DatabaseService {
    private let base: any DatabaseService
    private let world: HTTPWorld
    private let container: WireContainer
    private let clients = Mutex<[Account?: RemoteDatabaseService]>([:])

    init(base: any DatabaseService, world: HTTPWorld) {
        (self.base, self.world) = (base, world)
        container = world.add(base)
    }

    deinit {
        world.remove(container)
    }

    /// Puts a client, HTTP and a server between a container and its engine.
    static func adapt(_ container: Container) throws -> Container {
        try container.over(HTTPService(base: container.service, world: HTTPWorld.shared.get()))
    }

    private func client(_ caller: Caller) throws -> RemoteDatabaseService {
        try clients.withLock { clients in
            if let client = clients[caller.account] { return client }
            var configuration = RemoteConfiguration()
            configuration.retryTimeLimit = .seconds(5)
            let client = try RemoteDatabaseService(
                server: world.url, container: container, credentials: HTTPWorld.credentials(caller.account),
                configuration: configuration)
            clients[caller.account] = client
            return client
        }
    }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try await client(caller).perform(request, for: caller)
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        try await client(caller).send(bytes, to: upload, at: offset, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        try await client(caller).bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        try client(caller).signals(of: scopes, for: caller)
    }

    func close() async {
        await base.close()
        for client in clients.withLock({ $0.values.map { $0 } }) { await client.close() }
    }
}
