/// A request to add a schema to databases.
public struct ModifySchemaRequest: ServiceRequest {
    /// The databases.
    public var scopes: [DatabaseScope] = []
    /// The schema.
    public var schema = Schema()
    /// Whether the schema must have all types and fields that the databases have.
    public var isComplete = false

    /// No content: the databases have the schema.
    public typealias Response = EmptyResponse

    /// The request's name.
    public static let name = "modifySchema"
    /// The request's effect.
    public static let effect = RequestEffect.idempotent
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension ModifySchemaRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scopes", &scopes)
        try coder.part("schema", &schema)
        try coder.part("isComplete", &isComplete)
    }
}
