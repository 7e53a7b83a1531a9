/// A request for what the user may learn of shares before accepting them.
public struct FetchShareMetadataRequest: ServiceRequest {
    /// The last parts of the shares' URLs.
    public var shortGUIDs: [String] = []

    /// The result of each share of a ``FetchShareMetadataRequest``.
    public struct Response: ServiceValue {
        /// The results, in the order of the request; the error is the same for an unknown share and for one of others.
        var results: [Result<SharedZoneMetadata, CabinetError>] = []

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
    }
}

extension FetchShareMetadataRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("results", &results)
    }
}

/// A share, and the participant that the user is or would be.
struct SharedZoneMetadata: Sendable, Hashable {
    var share = Record(recordType: "")
    /// The participant in the form of ``Share/Participant/text``.
    var participant = ""
}

extension SharedZoneMetadata {
    init(share: Record, _ participant: Share.Participant) {
        self.init(share: share, participant: participant.text)
    }

    /// Returns the metadata of a container.
    func metadata(in containerIdentifier: String) throws(CabinetError) -> Share.Metadata {
        guard let participant = Share.Participant(text: participant) else {
            throw CabinetError(.internalError, "The service's answer has no participant.", recordID: share.recordID)
        }
        return Share.Metadata(
            containerIdentifier: containerIdentifier, share: try Share(share), participant: participant)
    }
}

extension SharedZoneMetadata: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("share", &share)
        try coder.part("participant", &participant)
    }
}
