/// A request for what the user may learn of shares before accepting them.
public struct FetchShareMetadataRequest: ServiceRequest {
    /// The last parts of the shares' URLs.
    public var shortGUIDs: [String] = []
    /// Whether the root records of hierarchies are returned with their shares.
    public var shouldFetchRootRecord = false
    /// The fields of the root records to fetch, or `nil` for all.
    public var rootRecordDesiredKeys: [Record.FieldKey]?

    init() {}

    /// Creates a request.
    package init(
        shortGUIDs: [String], shouldFetchRootRecord: Bool = false, rootRecordDesiredKeys: [Record.FieldKey]? = nil
    ) {
        self.shortGUIDs = shortGUIDs
        self.shouldFetchRootRecord = shouldFetchRootRecord
        self.rootRecordDesiredKeys = rootRecordDesiredKeys
    }

    /// The result of each share of a ``FetchShareMetadataRequest``.
    public struct Response: ServiceValue {
        /// The results, in the order of the request; the error is the same for an unknown share and for one of others.
        var results: [Result<SharedZoneMetadata, CabinetError>] = []

        init() {}

        init(results: [Result<SharedZoneMetadata, CabinetError>]) {
            self.results = results
        }

        /// Creates the response of a service that has shares of its own.
        package init(_ results: [Result<Share.Metadata, CabinetError>]) {
            self.results = results.map {
                $0.map { SharedZoneMetadata(share: $0.share.record, $0.participant, rootRecord: $0.rootRecord) }
            }
        }

        /// Returns the metadata of a container, or errors.
        package func metadata(in containerIdentifier: String) -> [Result<Share.Metadata, CabinetError>] {
            results.map { result in
                result.flatMap { metadata in
                    do throws(CabinetError) {
                        return .success(try metadata.metadata(in: containerIdentifier))
                    } catch {
                        return .failure(error)
                    }
                }
            }
        }

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "fetchShareMetadata"
    /// The request's effect.
    public static let effect = RequestEffect.none
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension FetchShareMetadataRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("shortGUIDs", &shortGUIDs)
        var fetchesRoot: Bool? = shouldFetchRootRecord ? true : nil
        try coder.part("shouldFetchRootRecord", &fetchesRoot)
        shouldFetchRootRecord = fetchesRoot ?? false
        try coder.part("rootRecordDesiredKeys", &rootRecordDesiredKeys)
    }
}

extension FetchShareMetadataRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("results", &results)
    }
}
