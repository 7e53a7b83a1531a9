/// A position in the changes of a database or zone: the client knows the changes before it, and not those after it.
///
/// A token is opaque. It can be encoded, stored, and decoded after a restart. It is valid only in the same database,
/// and for the same zone. <doc:TwoDevices> shows when to store it.
public struct ServerChangeToken: Sendable, Hashable {
    /// The number of the last change that is known.
    let number: Int64

    /// The number up to which deletions are irrelevant, because the client read its records later.
    let horizon: Int64

    /// The end of the database when the token was created.
    let end: TimelinePoint

    /// The fingerprint of the records that the account could read; `nil` for all, and in tokens of earlier versions.
    let readAccess: String?

    /// The numbers of the zones of the shared database and of their last changes that are known, in turn.
    var zones: [Int64]?

    /// The token of another server that the token stands for.
    let foreignToken: String?

    /// The zone whose changes these are, or `nil` for those of the database.
    let zoneID: RecordZone.ID?

    /// The database whose changes these are.
    let origin: Query.Cursor.Origin

    /// The number of the user's revoked keys for which lost zones were reported; `nil` for none.
    var revokedKeyCount: Int?
}

/// A token is coded as one string.
extension ServerChangeToken: Codable {
    private struct Content: OpaqueContent {
        static let name = "a change token"
        static let currentVersion = 2
        var version = Self.currentVersion
        let number: Int64
        let horizon: Int64
        let end: TimelinePoint
        let readAccess: String?
        let zones: [Int64]?
        let foreignToken: String?
        let zoneID: RecordZone.ID?
        let origin: Query.Cursor.Origin
        let revokedKeyCount: Int?

        var fault: String? { min(number, horizon, end.number) < 0 ? "it has an impossible position" : nil }
    }

    /// Decodes a token.
    ///
    /// - Throws: `DecodingError` if the data is not a token of this version.
    public init(from decoder: any Decoder) throws {
        let content = try Content(opaqueFrom: decoder)
        self.init(
            number: content.number, horizon: content.horizon, end: content.end, readAccess: content.readAccess,
            zones: content.zones, foreignToken: content.foreignToken, zoneID: content.zoneID, origin: content.origin,
            revokedKeyCount: content.revokedKeyCount)
    }

    /// Encodes the token, as one string.
    public func encode(to encoder: any Encoder) throws {
        let content = Content(
            number: number, horizon: horizon, end: end, readAccess: readAccess, zones: zones,
            foreignToken: foreignToken, zoneID: zoneID, origin: origin, revokedKeyCount: revokedKeyCount)
        try content.encodeOpaque(to: encoder)
    }
}

extension ServerChangeToken {
    /// The sequence number of the last change before the token was returned.
    package var lastSequenceNumber: Int64 { end.number }
}

extension ServerChangeToken {
    /// Returns a token for an earlier position, which a fetch continues as it continues this one.
    ///
    /// - Parameters:
    ///   - number: The sequence number of the last change before the position.
    ///   - horizon: The number up to which deletions are left out. Where a zone has forgotten later ones, the token has expired.
    /// - Returns: The token; `nil` if only another server understands this one.
    package func moved(to number: Int64, withDeletionsAfter horizon: Int64) -> Self? {
        if foreignToken != nil { return nil }
        return Self(
            number: min(number, end.number), horizon: min(horizon, end.number), end: end, readAccess: readAccess,
            zones: zones, foreignToken: nil, zoneID: zoneID, origin: origin, revokedKeyCount: revokedKeyCount)
    }
}

extension ServerChangeToken: CustomStringConvertible {
    /// The database or zone and the position, for logs.
    public var description: String { "\(zoneID.map { "zone \($0)" } ?? "database") at change \(number)" }
}
