/// A request to check a query and its desired keys against the schema, without running it.
public struct ValidateQueryRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The query.
    public var query = Query()
    /// The zone, or `nil` for all zones.
    public var zoneID: RecordZone.ID?
    /// The fields that would be fetched, or `nil` for all.
    public var desiredKeys: [Record.FieldKey]?

    /// No content: the query is valid.
    public typealias Response = EmptyResponse

    /// The request's name.
    public static let name = "validateQuery"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension ValidateQueryRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("query", &query)
        try coder.part("zone", &zoneID)
        try coder.part("desiredKeys", &desiredKeys)
    }
}
