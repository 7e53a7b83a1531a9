/// A request that makes the user a participant of shares.
public struct AcceptSharesRequest: ServiceRequest {
    /// The last parts of the shares' URLs.
    public var shortGUIDs: [String] = []

    init() {}

    /// Creates a request.
    package init(shortGUIDs: [String]) {
        self.shortGUIDs = shortGUIDs
    }

    /// The result of each share of an ``AcceptSharesRequest``.
    public struct Response: ServiceValue {
        /// The accepted shares or their errors, in the order of the request.
        public var results: [Result<Record, CabinetError>] = []

        init() {}

        /// Creates a response.
        package init(results: [Result<Record, CabinetError>]) {
            self.results = results
        }

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "acceptShares"
    /// The request's effect.
    public static let effect = RequestEffect.idempotent
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension AcceptSharesRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("shortGUIDs", &shortGUIDs)
    }
}

extension AcceptSharesRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("results", &results)
    }
}
