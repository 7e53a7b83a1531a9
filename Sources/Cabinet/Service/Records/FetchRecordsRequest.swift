/// A request for records by ID.
public struct FetchRecordsRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The records' IDs.
    public var recordIDs: [RecordID] = []
    /// The fields to fetch, or `nil` for all.
    public var desiredKeys: [Record.FieldKey]?
    /// The earlier reads of a transaction; the request fails if the database would answer one of them differently now.
    var reads: TransactionReads?

    /// The result of each record of a ``FetchRecordsRequest``.
    public struct Response: ServiceValue {
        /// The results, in the order of the request's IDs.
        public var results: [Result<Record, CabinetError>] = []
        /// The end of the change feed, for a transaction.
        var end: TimelinePoint?
        /// The fingerprint of the records that the caller may read at that end; `nil` for all.
        var readAccess: String?

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "fetchRecords"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchRecordsRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }

    /// Whether the request belongs to a transaction, which has read before.
    package var isOfTransaction: Bool { reads != nil }

    /// The records that the transaction has read, with their change tags; `nil` for one that did not exist.
    package var readTags: [(recordID: RecordID, changeTag: String?)] { reads?.tags ?? [] }

    /// Creates a request for the end of the change feed alone.
    package init(endIn scope: DatabaseScope) { self.init(scope: scope, reads: TransactionReads()) }
}

extension FetchRecordsRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("recordIDs", &recordIDs)
        try coder.part("desiredKeys", &desiredKeys)
        try coder.part("reads", &reads)
    }
}

extension FetchRecordsRequest.Response {
    /// The position at the end of the change feed, if the request asked for it.
    package var endPosition: FeedPosition? {
        end.map { FeedPosition(number: $0.number, tombstoneHorizon: $0.number, end: $0, readAccess: readAccess) }
    }

    /// Creates the response of a service that has no change feed of its own, and judges the reads of a transaction by their tags.
    package init(ofTransaction results: [Result<Record, CabinetError>]) {
        self.init(results: results, end: TimelinePoint())
    }

    /// Creates the response of a service that translates the request.
    package init(_ results: [Result<Record, CabinetError>]) {
        self.init(results: results)
    }
}

extension FetchRecordsRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("results", &results)
        try coder.part("end", &end)
        try coder.part("readAccess", &readAccess)
    }
}
