/// A request for a user's subscriptions.
public struct FetchSubscriptionsRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The subscriptions' IDs, or `nil` for all.
    public var subscriptionIDs: [Subscription.ID]?

    /// The result of each subscription of a ``FetchSubscriptionsRequest``.
    public struct Response: ServiceValue {
        /// The results, in the order of the request's IDs; all subscriptions, in the order of their IDs, if it has none.
        public var results: [Result<Subscription, CabinetError>] = []

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "fetchSubscriptions"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchSubscriptionsRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }
}

extension FetchSubscriptionsRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("subscriptions", &subscriptionIDs)
    }
}

extension FetchSubscriptionsRequest.Response {
    /// Creates the response of a service that translates the request.
    package init(_ results: [Result<Subscription, CabinetError>]) {
        self.init(results: results)
    }
}

extension FetchSubscriptionsRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("results", &results)
    }
}
