/// A request for one page of the changes in a zone.
public struct FetchZoneChangesRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The zone.
    public var zoneID = RecordZone.ID.default
    /// The position of the caller's change token.
    package var since: FeedPosition?
    /// The fields to fetch, or `nil` for all.
    public var desiredKeys: [Record.FieldKey]?
    /// The greatest number of changes.
    public var resultsLimit: Int?

    /// One page of the changes in a zone.
    public struct Response: ServiceValue {
        /// The records, targets of references before the records that refer to them.
        public var records: [Record] = []
        /// The deleted records.
        public var deletions: [RecordZoneChange.Deletion] = []
        /// The position after this page.
        package var position = FeedPosition()
        /// Whether another page follows.
        public var moreComing = false

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "fetchZoneChanges"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchZoneChangesRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }
}

extension FetchZoneChangesRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("zone", &zoneID)
        try coder.part("since", &since)
        try coder.part("desiredKeys", &desiredKeys)
        try coder.part("resultsLimit", &resultsLimit)
    }
}

extension FetchZoneChangesRequest.Response {
    /// Creates the response of a service that translates the request.
    package init(
        _ records: [Record], _ deletions: [RecordZoneChange.Deletion], position: FeedPosition, moreComing: Bool
    ) {
        self.init(records: records, deletions: deletions, position: position, moreComing: moreComing)
    }
}

extension FetchZoneChangesRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("records", &records)
        try coder.part("deletions", &deletions)
        try coder.part("place", &position)
        try coder.part("moreComing", &moreComing)
    }
}
