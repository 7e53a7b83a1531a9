/// A request to explain how a query is run.
public struct ExplainQueryRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The query.
    public var query = Query()
    /// The zone, or `nil` for all zones.
    public var zoneID: RecordZone.ID?

    /// The explanation.
    public typealias Response = QueryExplanation

    /// The request's name.
    public static let name = "explainQuery"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension ExplainQueryRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("query", &query)
        try coder.part("zone", &zoneID)
    }
}

extension QueryExplanation: ServiceValue {
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }
}
