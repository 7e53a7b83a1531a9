import Cabinet
import CabinetDashboard
import CabinetServer
import CabinetWire
import Foundation
import Synchronization
import TerminalProgram

/// The stores of a server, with the users of each.
struct ServedStores: Authenticator, CourierStore, SignIn, UserDirectory {
    private var services: [WireContainer: LocalDatabaseService] = [:]
    private var accounts: [WireContainer: AccountStore] = [:]
    private var secrets: [WireContainer: ServerSecret] = [:]
    private var backends: [WireContainer: any StorageBackend] = [:]
    /// The address of the pages of shares, which is known when the server listens.
    private let sharePages = SharePages()

    /// The address of the pages of shares.
    private final class SharePages: Sendable {
        let url = Mutex<URL?>(nil)
    }
    /// The secret of containers that are not served, by which nothing is recognized.
    private let unserved = ServerSecret.random()

    /// Opens the stores.
    init(_ served: [ServeConfiguration.Served], _ invocation: Invocation) async throws {
        do {
            for item in served { try await open(item, invocation) }
        } catch {
            await close()
            throw error
        }
    }

    private mutating func open(_ item: ServeConfiguration.Served, _ invocation: Invocation) async throws {
        guard services[item.container] == nil else {
            throw CommandError.usage("The container \(item.container.identifier.printable) is given twice.")
        }
        let backend = try invocation.backend(at: item.store, mustExist: false, schemaName: item.schemaName)
        do {
            // The identifier is checked as a container checks it.
            let container = try Container(identifier: item.container.identifier, backend: backend)
            var mode = SchemaMode.growing
            if item.container.environment == .production {
                guard try await !container.publicDatabase.schema().recordTypes.isEmpty else {
                    throw CommandError(
                        .failure,
                        "In production the schema is that of the public database, which has none. Deploy one: cabinet schema deploy FILE --database public"
                    )
                }
                mode = .deployed(in: .public)
            }
            services[item.container] = try LocalDatabaseService(
                backend: backend, schema: mode, shareURL: { [sharePages] in sharePages.url.withLock(\.self) })
            backends[item.container] = backend
            let users = AccountStore(backend)
            (accounts[item.container], secrets[item.container]) = (users, try await users.secret())
        } catch {
            await backend.close()
            throw error
        }
    }

    /// The containers of the dashboard, which belong to none of its users: a person acts as one of them.
    var dashboardStores: [Dashboard.Store] {
        services.map { container, service in
            Dashboard.Store(
                identifier: container.identifier, environment: container.environment.rawValue, service: service,
                account: nil, storage: backends[container])
        }.sorted { ($0.identifier, $0.environment) < ($1.identifier, $1.environment) }
    }

    func close() async {
        for service in services.values { await service.close() }
    }

    /// Gives later shares URLs of the server.
    ///
    /// - Parameter address: The address of the server for clients.
    func setAddress(_ address: String) {
        sharePages.url.withLock { $0 = URL(string: address)?.appendingPathComponent("share") }
    }

    func service(_ container: WireContainer) -> (any DatabaseService)? { services[container] }

    /// The secret of a container's store, which all servers of the store share.
    func secret(of container: WireContainer) -> ServerSecret { secrets[container] ?? unserved }

    func authenticate(
        _ request: HTTPRequest, body: Data, in container: WireContainer
    ) async throws -> Authentication {
        try await accounts(of: container).authenticate(request, body: body, in: container)
    }

    func needsBody(of request: HTTPRequest, in container: WireContainer) async throws -> Bool {
        try await accounts(of: container).needsBody(of: request, in: container)
    }

    func callbackURL(ofAPIToken apiToken: String, in container: WireContainer) async throws -> URL? {
        try await accounts(of: container).callbackURL(ofAPIToken: apiToken, in: container)
    }

    func webToken(for token: String, isKept: Bool, in container: WireContainer) async throws -> String {
        try await accounts(of: container).webToken(for: token, isKept: isKept, in: container)
    }

    func addCourier(_ courier: Courier, in container: WireContainer) async throws -> String {
        try await accounts(of: container).addCourier(courier, in: container)
    }

    func courier(_ token: String, in container: WireContainer) async throws -> Courier? {
        try await accounts(of: container).courier(token, in: container)
    }

    func replace(
        _ courier: Courier, by new: Courier, token: String, in container: WireContainer
    ) async throws -> Bool {
        try await accounts(of: container).replace(courier, by: new, token: token, in: container)
    }

    private func accounts(of container: WireContainer) throws -> AccountStore {
        guard let accounts = accounts[container] else {
            throw AuthenticationError.failed("There is no such container.")
        }
        return accounts
    }

    func users(_ lookups: [UserLookup], in container: WireContainer) async throws -> [UserIdentity?] {
        try await accounts[container]?.users(lookups, in: container) ?? lookups.map { _ in nil }
    }
}
