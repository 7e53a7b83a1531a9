public import Cabinet
public import CabinetServer
import CabinetWire
import Foundation

/// A dashboard in a browser: a function from requests to pages, to be served by a listener.
///
/// ```swift
/// let dashboard = Dashboard(stores: [store], origins: ["http://127.0.0.1:8080"])
/// print("http://127.0.0.1:8080\(dashboard.makeSignInPath())")
/// ```
///
/// Its pages have addresses that begin with `/dashboard`, so a server of other things can have it too. They are read and edited without
/// JavaScript. The address of ``makeSignInPath()`` signs one person in.
public struct Dashboard: Sendable {
    /// A container of the dashboard.
    public struct Store: Sendable {
        /// The container's identifier.
        public let identifier: String
        /// The environment, such as `development`, which names the store in addresses.
        public let environment: String
        /// The name that pages show.
        public let title: String
        /// The service of the container's databases.
        public let service: any DatabaseService
        /// The user whose databases are shown; `nil` for none.
        public let account: Account?
        /// The store itself, for its health and for imports; `nil` if it is elsewhere.
        let storage: (any StorageBackend)?
        /// The users of a server of the store; `nil` if they are elsewhere.
        let accounts: AccountStore?

        /// Creates a container of the dashboard.
        ///
        /// - Parameters:
        ///   - identifier: The container's identifier.
        ///   - environment: The environment, such as `development`.
        ///   - title: The name that pages show; the identifier by default.
        ///   - service: The service of the container's databases.
        ///   - account: The user whose databases are shown; `nil` for none.
        ///   - storage: The store itself, which stays open, for the pages of health, users, keys and imports; `nil` if it is elsewhere.
        public init(
            identifier: String, environment: String, title: String? = nil, service: any DatabaseService,
            account: Account? = .default, storage: (any StorageBackend)? = nil
        ) {
            self.identifier = identifier
            self.environment = environment
            self.service = service
            self.account = account
            self.storage = storage
            accounts = storage.map { AccountStore($0) }
            self.title = title ?? identifier
        }
    }

    let stores: [Store]
    let pages: PageGuard
    let cookieName: String
    let sessions = DashboardSessions()
    let events = PageEvents()
    let log = RequestLog()
    let imports = Drafts<ImportDraft>()
    let uploads = Drafts<KeptFiles>()
    let work = SchemaWork()

    /// The time after which a page is answered with an error.
    var timeLimit = Duration.seconds(10)

    /// The time that a page waits for a change of a schema, which then goes on without it.
    var schemaWaitLimit = Duration.seconds(2)

    /// The time that a verification and an import may take.
    static let longTimeLimit = Duration.seconds(600)
    /// The advice for a person without an address that works.
    static let furtherAddress = "Start the program again for another one, or send SIGHUP to a server."
    /// The number of bytes that the files of a form have at most.
    static let largestUpload: Int64 = 256 << 20

    /// Creates a dashboard.
    ///
    /// - Parameters:
    ///   - stores: The containers.
    ///   - origins: The schemes, names and ports by which browsers reach it, such as `http://127.0.0.1:8080`. Requests under another name
    ///     are refused, since another site may lead its own name to this address.
    public init(stores: [Store], origins: some Sequence<String>) {
        self.stores = stores
        pages = PageGuard(origins: origins)
        // Browsers have the cookies of a machine in common for all of its ports.
        cookieName = "cabinet-\(UUID().uuidString.prefix(8).lowercased())"
    }

    /// The first segment of all addresses.
    public static let path = "dashboard"

    /// Returns an address that signs one person in, within fifteen minutes: a path with a secret.
    public func makeSignInPath() -> String { "/\(Self.path)/sign-in?code=\(sessions.makeCode())" }

    /// Ends the streams by which open pages learn of changes; call it before the listener stops, which waits for them otherwise.
    public func endStreams() { events.end() }

    /// Answers a request.
    public var handler: HTTPHandler { { await response(to: $0.refusingCodedBody) } }
}

extension Dashboard {
    private func response(to request: HTTPRequest) async -> HTTPResponse {
        let start = ContinuousClock.now
        var failure: String?
        var response: HTTPResponse
        let target = Self.target(of: request)
        do {
            if let target { response = try await answer(request, target) } else { response = try outside(request) }
        } catch {
            let refusal = (error as? CabinetError).map { HTTPError($0.code.pageStatus, $0.message) }
            let error = error as? HTTPError ?? refusal ?? HTTPError(.internalServerError, "The dashboard failed.")
            failure = error.message
            response = ErrorPage.response(error)
        }
        pages.protect(&response)
        if let target, target.path.first != "style", target.path.last != "events" {
            log.add(
                .init(
                    date: Date(), method: request.method.rawValue, path: RequestTarget(path: target.path).description,
                    user: Place(target.path[...])?.user, status: response.status.code,
                    duration: start.duration(to: .now),
                    error: failure))
        }
        return response
    }

    /// The target of a request within the dashboard; `nil` for another one, or a malformed one.
    private static func target(of request: HTTPRequest) -> RequestTarget? {
        let text = request.path == "/\(path)/" ? "/\(path)" : request.path
        // Browsers write the spaces of a form as plus signs.
        let query = request.query.map { "?\($0.replacing("+", with: "%20"))" } ?? ""
        guard var target = try? RequestTarget(text + query), target.path.first == path
        else { return nil }
        target.path.removeFirst()
        return target
    }

    /// Answers an address that is not the dashboard's: that of its listener alone leads to the first page.
    private func outside(_ request: HTTPRequest) throws -> HTTPResponse {
        guard request.path == "/", request.method == .get || request.method == .head else {
            throw HTTPError(.notFound, "Nothing has this address.")
        }
        try pages.check(request)
        return try HTTPResponse.redirect(to: "/\(Self.path)")
    }

    private func answer(_ request: HTTPRequest, _ target: RequestTarget) async throws -> HTTPResponse {
        try pages.check(request)
        let isShown = request.method == .get || request.method == .head
        guard isShown || request.method == .post else { throw HTTPError.methodNotAllowed(.get, .head, .post) }
        if target.path.first == "style" { return try StyleFile.response(to: request, target.path) }
        if target.path == ["sign-in"] { return try await signIn(request, target) }
        guard let secret = request.cookie(cookieName), let session = sessions.session(secret) else {
            throw HTTPError(
                .unauthorized,
                "You are not signed in. Open the address that the program has printed; it works once. \(Self.furtherAddress)"
            )
        }
        let form = isShown ? nil : try await HTTPForm(request, filesUpTo: Self.largestUpload)
        if let form, form["token"] != session.formToken {
            throw HTTPError(.forbidden, "The form is not from this dashboard, or an old one. Open the page again.")
        }
        if form != nil, target.path == ["sign-out"] {
            sessions.signOut(secret)
            throw HTTPError(.unauthorized, "You are signed out.")
        }
        return try await response(to: request, target, form, session.proof)
    }

    private func response(
        to request: HTTPRequest, _ target: RequestTarget, _ form: HTTPForm?, _ proof: HTML
    ) async throws -> HTTPResponse {
        let frame = PageFrame(stores: stores, proof: proof, address: target)
        if target.path.isEmpty {
            // The only container needs no choice.
            guard stores.count == 1, let store = stores.first else { return try frame.response(home) }
            let scope: DatabaseScope = store.account == nil ? .public : .private
            return try HTTPResponse.redirect(
                to: Place(container: store.identifier, environment: store.environment, scope: scope).link())
        }
        if target.path == ["act"] {
            let place = Place(
                container: target["container"] ?? "", environment: target["environment"] ?? "", scope: .private,
                user: target["user"].flatMap { $0.isEmpty ? nil : $0 })
            return try HTTPResponse.redirect(to: place.link())
        }
        if target.path == ["requests"] { return try frame.response(RequestsPage.page(log.latest)) }
        guard let place = Place(target.path[...]), target.path.count <= 4,
            let store = stores.first(where: { $0.identifier == place.container && $0.environment == place.environment })
        else { throw HTTPError(.notFound, "Nothing has this address.") }
        let account = await account(of: place, in: store)
        let container = try Container(identifier: store.identifier, service: store.service, account: account)
        let page = target.path.count > 3 ? target.path[3] : "types"
        if page == "events" { return try events.response(container.signals(of: place.scope)) }
        let limit = ["health", "import"].contains(page) && form != nil ? Self.longTimeLimit : timeLimit
        let visit = Visit(
            place: place, page: page, target: target, store: store, siblings: stores, container: container,
            account: account, log: log, imports: imports, uploads: uploads, work: work, timeLimit: limit,
            schemaWaitLimit: schemaWaitLimit, proof: proof, form: form)
        switch try await answer(visit) {
        case .page(let page, let status): return try frame.response(page, status, place)
        case .redirect(let address): return try HTTPResponse.redirect(to: address)
        case .response(let response): return response
        }
    }

    private var home: Page {
        let rows = stores.map { store -> HTML in
            let place = Place(
                container: store.identifier, environment: store.environment,
                scope: store.account == nil ? .public : .private)
            return
                "<tr><td><a href=\"\(place.link())\">\(store.title.shown(80))</a></td><td>\(store.environment)</td></tr>"
        }
        return Page(
            title: "Containers",
            main: "<h1>Containers</h1>\(.table(["Container", "Environment"], caption: "Containers", rows))"
        )
    }

    /// Returns the account that a person acts as: a user of the store has the roles that the store gives it.
    ///
    /// A store without users, or whose users are elsewhere, does not know them: the roles are the operator's own.
    private func account(of place: Place, in store: Store) async -> Account? {
        guard let name = place.user else { return store.account }
        let own = store.account?.roles ?? []
        guard let accounts = store.accounts else { return Account(userRecordName: name, roles: own) }
        // The page reports a store that is out of reach, and keeps what was typed. Until then there are no roles.
        guard let users = try? await accounts.users() else { return Account(userRecordName: name, roles: []) }
        if users.isEmpty { return Account(userRecordName: name, roles: own) }
        return Account(userRecordName: name, roles: Set(users.first { $0.userRecordName == name }?.roles ?? []))
    }

    /// Answers a visit, and cancels the work of a page that takes too long.
    private func answer(_ visit: Visit) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await Pages.answer(visit) }
            group.addTask {
                try? await Task.sleep(for: visit.timeLimit)
                return nil
            }
            defer { group.cancelAll() }
            if let answer = try await group.next() ?? nil { return answer }
            group.cancelAll()
            // A change that was committed before is answered as such.
            if let answer = try await group.next() ?? nil { return answer }
            throw visit.lateness
        }
    }
}
