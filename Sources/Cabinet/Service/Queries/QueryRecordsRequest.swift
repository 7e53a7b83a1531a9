/// A request for one page of a query's records.
public struct QueryRecordsRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The query.
    public var query = Query()
    /// The zone, or `nil` for all zones.
    public var zoneID: RecordZone.ID?
    /// The position in the query's order after which the page begins.
    public var position: QueryPosition?
    /// The fields to fetch, or `nil` for all.
    public var desiredKeys: [Record.FieldKey]?
    /// The greatest number of records, or `Query.maximumResults`.
    public var resultsLimit = Query.maximumResults
    /// Whether the page must hold the first records of the order, rather than any.
    public var isOrdered = true
    /// Whether the response includes what a live query needs to keep the records up to date.
    public var observes = false
    /// The earlier reads of a transaction; the request fails if the database would answer one of them differently now.
    var reads: TransactionReads?

    /// One page of a query's records.
    public struct Response: ServiceValue {
        /// The records.
        public var records: [Record] = []
        /// The position after the last record; `nil` if no more records follow.
        public var position: QueryPosition?
        /// Whether a record may have an asset.
        ///
        /// If not, a client need not search the values of the records for one.
        public var mayHaveAssets = true
        /// The state of the database that the records are of, for a live query.
        var basis: LiveBasis?

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "queryRecords"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension QueryRecordsRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }

    /// Whether the request belongs to a transaction, which has read before.
    package var isOfTransaction: Bool { reads != nil }
}

extension QueryRecordsRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("query", &query)
        try coder.part("zone", &zoneID)
        try coder.part("position", &position)
        try coder.part("desiredKeys", &desiredKeys)
        try coder.part("resultsLimit", &resultsLimit)
        try coder.part("isOrdered", &isOrdered)
        try coder.part("observes", &observes)
        try coder.part("reads", &reads)
    }
}

extension QueryRecordsRequest.Response {
    /// Creates the response of a service that translates the request.
    package init(_ records: [Record], position: QueryPosition?) {
        self.init(records: records, position: position, mayHaveAssets: true)
    }
}

extension QueryRecordsRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("records", &records)
        try coder.part("position", &position)
        try coder.part("mayHaveAssets", &mayHaveAssets)
        try coder.part("basis", &basis)
    }
}

/// A request that runs a query.
protocol QueryingRequest: Sendable {
    var query: Query { get set }
    var zoneID: RecordZone.ID? { get set }
}

extension QueryRecordsRequest: QueryingRequest {}
extension AggregateRequest: QueryingRequest {}
extension ExplainQueryRequest: QueryingRequest {}
