/// A request to save and delete subscriptions.
public struct ModifySubscriptionsRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The subscriptions to save.
    public var subscriptionsToSave: [Subscription] = []
    /// The subscriptions to delete.
    public var subscriptionIDsToDelete: [Subscription.ID] = []

    /// The result of each subscription of a ``ModifySubscriptionsRequest``.
    public struct Response: ServiceValue {
        /// The saved subscriptions or their errors, in the order of the request.
        public var saveResults: [Result<Subscription, CabinetError>] = []
        /// The errors of the deletions, or `nil` for a success, in the order of the request.
        public var deleteErrors: [CabinetError?] = []

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "modifySubscriptions"
    /// The request's effect.
    public static let effect = RequestEffect.once
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension ModifySubscriptionsRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }
}

extension ModifySubscriptionsRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("subscriptionsToSave", &subscriptionsToSave)
        try coder.part("subscriptionsToDelete", &subscriptionIDsToDelete)
    }
}

extension ModifySubscriptionsRequest.Response {
    /// Creates the response of a service that translates the request.
    package init(_ saveResults: [Result<Subscription, CabinetError>], _ deleteErrors: [CabinetError?]) {
        self.init(saveResults: saveResults, deleteErrors: deleteErrors)
    }
}

extension ModifySubscriptionsRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("saveResults", &saveResults)
        try coder.part("deleteErrors", &deleteErrors)
    }
}
