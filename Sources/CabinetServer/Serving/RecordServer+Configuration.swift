public import Cabinet
public import CabinetWire

extension RecordServer {
    /// The limits, the log and the surroundings of a server.
    public struct Configuration: Sendable {
        /// The limits of requests.
        public var limits = RequestLimits()
        /// Whether every request comes through a proxy, which appends the client's address to `X-Forwarded-For`.
        public var isBehindProxy = false
        /// The address of the server for clients, such as `https://records.example.com`; `nil` for that of the request.
        public var publicURL: String?
        /// The page of another server on which the users of CloudKit's clients sign in.
        public var signInURL: String?
        /// The sign-in of the server's own page, `/sign-in`; `nil` for no page.
        public var signIn: (any SignIn)?
        /// The containers whose shares have pages, `/share/…`; none for no pages.
        public var sharedContainers: [SharedContainer] = []
        /// The role of the users who may change the schema of a public database in production.
        ///
        /// In development every user may, as saves do there.
        public var administrators = "administrators"
        /// The time between two comments of a stream of signals, by which both sides find a broken connection.
        ///
        /// The server also asks then whether the credentials are still valid.
        public var streamInterval: Duration = .seconds(20)
        /// The users that clients find by name or address, to share records with them; `nil` for none but the own.
        public var directory: (any UserDirectory)?
        /// The notifications of CloudKit's dialect; `nil` for a server without them.
        public var couriers: (any CourierStore)?
        /// The time for which a poll waits for a notification, before an empty answer.
        ///
        /// The default is 50 seconds, because proxies end a silent connection after a minute.
        public var pollTime: Duration = .seconds(50)
        /// A function that is called after each request; it must not block.
        public var log: (@Sendable (RequestRecord) -> Void)?
        /// Further numbers for `/metrics`, in Prometheus' text format.
        public var furtherMetrics: (@Sendable () -> String)?

        /// Creates a configuration with the defaults.
        public init() {}
    }
}

/// A list of users, in which requests find them by name or address.
public protocol UserDirectory: Sendable {
    /// Returns what is known of users, in the order of the lookups; `nil` for one that is not found.
    ///
    /// - Parameters:
    ///   - lookups: The descriptions.
    ///   - container: The container.
    /// - Throws: An error of the list, with which the request fails.
    func users(_ lookups: [UserLookup], in container: WireContainer) async throws -> [UserIdentity?]
}
