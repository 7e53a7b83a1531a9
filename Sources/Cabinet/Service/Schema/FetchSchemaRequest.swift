/// A request for the schema of a database.
public struct FetchSchemaRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private

    /// The schema.
    public typealias Response = Schema

    /// The request's name.
    public static let name = "fetchSchema"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchSchemaRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }
}

extension FetchSchemaRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
    }
}

extension Schema: ServiceValue {
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }
}
