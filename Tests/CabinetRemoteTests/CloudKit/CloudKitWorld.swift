import Cabinet
import CabinetListener
import CabinetRemote
import CabinetServer
import CabinetWire
import Foundation
import Synchronization

/// A server with accounts, which a client of CloudKit Web Services reaches through HTTP.
final class CloudKitWorld: Sendable {
    static let container = WireContainer(identifier: "iCloud.com.example.notes", environment: .development)

    /// The key of `wire.md`, whose scalar is the checksum of "Cabinet wire test key".
    static let privateKey = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIA8aWF3vhQEP+rAKkG7CLXAr0NOnbR8DkEwFJMFoZhJvoAoGCCqGSM49
        AwEHoUQDQgAEI9OcT721J5926sL4hcKPSun9nsfhgdzA46OYkaN7nyoixxliA1J6
        +vlsycl2ecZW+kejrUgaa+cVRIIWEfn1pA==
        -----END EC PRIVATE KEY-----
        """
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEI9OcT721J5926sL4hcKPSun9nsfh
        gdzA46OYkaN7nyoixxliA1J6+vlsycl2ecZW+kejrUgaa+cVRIIWEfn1pA==
        -----END PUBLIC KEY-----
        """

    let service: LocalDatabaseService
    let accounts: AccountStore
    let keyID: String
    let apiToken: String
    let user: AccountStore.User
    let webToken: String
    let clock = AdjustableClock()
    private let state = Mutex<(RecordServer, HTTPListener)?>(nil)
    private let address = Mutex<URL?>(nil)

    init() async throws {
        let backend = MemoryBackend()
        service = try LocalDatabaseService(backend: backend)
        accounts = AccountStore(backend, now: clock.now)
        keyID = try await accounts.addKey("server", publicKey: Self.publicKey).keyID
        apiToken = try await accounts.addToken("app")
        user = try await accounts.addUser("ann")
        webToken = try await accounts.signIn("ann")
    }

    /// Starts the server, at the same address as before.
    ///
    /// - Parameter wrap: Changes the handler.
    func start(_ wrap: (@escaping HTTPHandler) -> HTTPHandler = { $0 }) async throws {
        var configuration = RecordServer.Configuration()
        (configuration.couriers, configuration.directory) = (accounts, accounts)
        configuration.pollTime = .seconds(2)
        let secret = try await accounts.secret()
        let server = RecordServer(
            authenticator: accounts, secrets: { _ in secret }, configuration: configuration
        ) { [service] in $0 == Self.container ? service : nil }
        let port = address.withLock { $0?.port } ?? 0
        let listener = try HTTPListener(
            .init(addresses: [.network(host: "127.0.0.1", port: port)], threads: 2), handler: wrap(server.handler))
        address.withLock { $0 = URL(string: listener.urls[0]) }
        state.withLock { $0 = (server, listener) }
    }

    func stop() async {
        let (server, listener) = state.withLock { $0.take() } ?? (nil, nil)
        server?.endStreams()
        await listener?.stop(within: .seconds(5))
    }

    var server: CloudKitServer { .cloudKit(address.withLock { $0 } ?? URL(fileURLWithPath: "/")) }

    /// A client with the server's key.
    func keyClient(_ privateKey: String = CloudKitWorld.privateKey) throws -> Container {
        try client(.serverKey(keyID, privateKey: privateKey))
    }

    /// A client with the user's web token.
    func userClient(onReplacement: @escaping @Sendable (String) -> Void = { _ in }) throws -> Container {
        try client(
            .webToken(
                webToken, apiToken: apiToken, userRecordName: user.userRecordName, onReplacement: onReplacement))
    }

    func client(_ credentials: CloudKitCredentials) throws -> Container {
        var configuration = RemoteConfiguration()
        (configuration.retryTimeLimit, configuration.maximumResponseSize) = (.seconds(60), 8 << 20)
        return try Container(
            identifier: Self.container.identifier, server: server, credentials: credentials,
            configuration: configuration)
    }
}

/// A clock that a test moves forward.
final class AdjustableClock: Sendable {
    private let offset = Mutex<TimeInterval>(0)

    var now: @Sendable () -> Date { { [self] in Date() + offset.withLock(\.self) } }

    func advance(by seconds: TimeInterval) { offset.withLock { $0 += seconds } }
}
