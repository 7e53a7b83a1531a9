/// A request for the users that have addresses or names, to share records with them.
public struct FindUsersRequest: ServiceRequest {
    /// The descriptions of the users, at most ``maximumCount``.
    public var lookups: [UserLookup] = []

    /// The largest number of users of a request.
    public static let maximumCount = 200

    /// The users of a ``FindUsersRequest``.
    public struct Response: ServiceValue {
        /// The record names of the users, in the order of the request; `nil` for one that is not found.
        public var userRecordNames: [String?] = []

        init() {}

        /// Creates a response.
        package init(userRecordNames: [String?]) {
            self.userRecordNames = userRecordNames
        }

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "findUsers"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }

    init() {}

    /// Creates a request.
    package init(lookups: [UserLookup]) {
        self.lookups = lookups
    }

    /// Throws unless a user sends the request, for not too many users.
    func validate(for caller: Caller) throws(CabinetError) {
        if caller.userRecordName == nil {
            throw CabinetError(.notAuthenticated, "Only a user looks up other users.")
        }
        if lookups.count > Self.maximumCount {
            throw CabinetError(
                .limitExceeded,
                "The request looks up \(lookups.count) users; at most \(Self.maximumCount) are looked up at once.")
        }
    }
}

extension FindUsersRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("lookups", &lookups)
    }
}

extension FindUsersRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("userRecordNames", &userRecordNames)
    }
}
