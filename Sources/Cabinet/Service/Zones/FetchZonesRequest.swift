/// A request for zones.
public struct FetchZonesRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The zones' IDs, or `nil` for all zones.
    public var zoneIDs: [RecordZone.ID]?
    /// Whether the response has the keys of the zones' encrypted values.
    package var asksForKeys = false

    /// The result of each zone of a ``FetchZonesRequest``.
    public struct Response: ServiceValue {
        /// The results, in the order of the request's IDs; all zones, in the order of their names, if it has none.
        public var results: [Result<RecordZone, CabinetError>] = []
        /// The keys of the zones that exist.
        var keys: [ZoneKeys]?

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "fetchZones"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchZonesRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }
}

extension FetchZonesRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("zones", &zoneIDs)
        var asksForKeys = asksForKeys ? true : nil
        try coder.part("asksForKeys", &asksForKeys)
        self.asksForKeys = asksForKeys ?? false
    }
}

extension FetchZonesRequest.Response {
    /// Creates the response of a service that translates the request.
    package init(_ results: [Result<RecordZone, CabinetError>]) {
        self.init(results: results)
    }
}

extension FetchZonesRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("results", &results)
        try coder.part("keys", &keys)
    }
}
