/// A request that asks the owners of shares to let the user take part.
public struct RequestShareAccessRequest: ServiceRequest {
    /// The last parts of the shares' URLs.
    public var shortGUIDs: [String] = []

    init() {}

    /// Creates a request.
    package init(shortGUIDs: [String]) {
        self.shortGUIDs = shortGUIDs
    }

    /// The result of each share of a ``RequestShareAccessRequest``.
    public struct Response: ServiceValue {
        /// The errors, or `nil` for a share whose owner was asked, in the order of the request.
        public var errors: [CabinetError?] = []

        init() {}

        /// Creates a response.
        package init(errors: [CabinetError?]) {
            self.errors = errors
        }

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "requestShareAccess"
    /// The request's effect.
    public static let effect = RequestEffect.idempotent
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension RequestShareAccessRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("shortGUIDs", &shortGUIDs)
    }
}

extension RequestShareAccessRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("errors", &errors)
    }
}
