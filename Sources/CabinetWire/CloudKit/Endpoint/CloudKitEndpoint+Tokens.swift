import Cabinet
import Foundation

extension CloudKitEndpoint {
    /// Returns a text that a client gets and returns unchanged.
    func seal(_ json: [UInt8]) -> String {
        host.seal(Data(json).base64EncodedString(), for: caller)
    }

    /// Returns the JSON of a text that a client has returned.
    func open(_ text: String) throws(CabinetError) -> [UInt8] {
        guard let data = Data(base64Encoded: try host.open(text, for: caller)) else {
            throw CabinetError(.invalidArguments, "The token is not one of this server.")
        }
        return Array(data)
    }

    /// Returns the request that a text stands for.
    ///
    /// - Parameter kind: The kind of text that the operation takes, for the error of another one.
    func open<Request: ServiceRequest>(_ text: String, _ kind: String) throws(CabinetError) -> Request {
        let json = try open(text)
        do {
            return try Request.coding.decode(json)
        } catch {
            throw CabinetError(
                .invalidArguments, "The token is not \(kind). Send one that the same operation has answered.")
        }
    }

    /// Returns the sync token of a position in a zone's changes.
    func token(_ position: FeedPosition, of zoneID: RecordZone.ID) throws(CabinetError) -> String {
        var request = FetchZoneChangesRequest(in: scope)
        (request.zoneID, request.since) = (zoneID, position)
        return seal(try FetchZoneChangesRequest.coding.encode(request))
    }

    /// Returns the position of a sync token of a zone.
    func position(_ token: String, of zoneID: RecordZone.ID) throws(CabinetError) -> FeedPosition? {
        let request = try open(token, "the sync token of a zone") as FetchZoneChangesRequest
        guard request.scope == scope, canonical(request.zoneID) == canonical(zoneID) else {
            throw CabinetError(
                .invalidArguments, "The sync token is of another zone. Send the token that the zone had.")
        }
        return request.since
    }

    /// Returns the sync token of a position in a database's changes.
    func token(_ position: FeedPosition) throws(CabinetError) -> String {
        var request = FetchDatabaseChangesRequest(in: scope)
        request.since = position
        return seal(try FetchDatabaseChangesRequest.coding.encode(request))
    }

    /// Returns the position of a sync token of a database.
    func position(_ token: String) throws(CabinetError) -> FeedPosition? {
        let request = try open(token, "the sync token of a database") as FetchDatabaseChangesRequest
        guard request.scope == scope else {
            throw CabinetError(.invalidArguments, "The sync token is of another database.")
        }
        return request.since
    }

    /// The token of the zone's present state.
    ///
    /// It is read before records are read or saved, so that no change falls between them.
    func currentToken(of zoneID: RecordZone.ID) async throws -> String? {
        try await endPosition().map { position throws(CabinetError) in try token(position, of: zoneID) }
    }

    /// The end of the database's change feed.
    func endPosition() async throws -> FeedPosition? {
        try await perform(FetchRecordsRequest(endIn: scope)).endPosition
    }

    /// Returns the zone by the placeholder of its owner if it is the caller's own.
    ///
    /// The zones of the public database are every caller's own: each gets them with its own name, and may send those that another one got.
    func canonical(_ zoneID: RecordZone.ID) -> RecordZone.ID {
        scope == .public || zoneID.ownerName == caller.account?.userRecordName
            ? RecordZone.ID(zoneName: zoneID.zoneName) : zoneID
    }

    /// Reads the zone that an object names; `nil` if it names none.
    func zoneID(in node: JSONNode) throws(CabinetError) -> RecordZone.ID? {
        try node["zoneID"].map { node throws(CabinetError) in canonical(try CloudKitZone.read(node)) }
    }
}
