/// A request for one page of the changed zones.
public struct FetchDatabaseChangesRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The position of the caller's change token.
    package var since: FeedPosition?
    /// The greatest number of zones.
    public var resultsLimit: Int?

    /// One page of the changed zones.
    public struct Response: ServiceValue {
        /// The zones with changes.
        public var modifications: [DatabaseChange.Modification] = []
        /// The deleted zones.
        public var deletions: [DatabaseChange.Deletion] = []
        /// The position after this page.
        package var position = FeedPosition()
        /// Whether another page follows.
        public var moreComing = false

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "fetchDatabaseChanges"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchDatabaseChangesRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }
}

extension FetchDatabaseChangesRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("since", &since)
        try coder.part("resultsLimit", &resultsLimit)
    }
}

extension FetchDatabaseChangesRequest.Response {
    /// Creates the response of a service that translates the request.
    package init(
        _ modifications: [DatabaseChange.Modification], _ deletions: [DatabaseChange.Deletion], position: FeedPosition,
        moreComing: Bool
    ) {
        self.init(modifications: modifications, deletions: deletions, position: position, moreComing: moreComing)
    }
}

extension FetchDatabaseChangesRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("modifications", &modifications)
        try coder.part("deletions", &deletions)
        try coder.part("place", &position)
        try coder.part("moreComing", &moreComing)
    }
}
