/// A request for the changes that a live query merges into its result.
public struct FetchLiveChangesRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The type of the query's records.
    public var recordType = ""
    /// The query's zone, or `nil` for all zones.
    public var zoneID: RecordZone.ID?
    /// The state of the database that the live query knows.
    var basis = LiveBasis()

    /// The changes since a state of a database, or that they are unknown.
    public struct Response: ServiceValue {
        /// The state after the changes.
        var basis = LiveBasis()
        /// Whether the changes are all there are; otherwise the query must run again.
        public var isComplete = true
        /// The zones that were deleted, each with the number of its deletion.
        var removedZones: [NumberedZone] = []
        /// The changed records of the type, which the caller may read, in the order of their changes.
        public var records: [Record] = []
        /// The deleted records of the type.
        public var deletions: [RecordID] = []

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "fetchLiveChanges"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchLiveChangesRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("recordType", &recordType)
        try coder.part("zone", &zoneID)
        try coder.part("basis", &basis)
    }
}

extension FetchLiveChangesRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("basis", &basis)
        try coder.part("isComplete", &isComplete)
        try coder.part("removedZones", &removedZones)
        try coder.part("records", &records)
        try coder.part("deletions", &deletions)
    }
}
