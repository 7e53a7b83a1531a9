/// The stored state of a zone.
public struct StoredZone: Sendable, Hashable, Codable {
    /// The zone's ID.
    public let zoneID: RecordZone.ID

    /// The record name of the user who saved the zone first; empty for the default zone, which no user saves.
    public let creatorName: String

    /// The sequence number of the zone's creation.
    ///
    /// For the default zone, this is 0, or the number with which the database's changes begin if it was copied from another
    /// store.
    public let creationNumber: Int64

    /// The sequence number of the last change of the zone, or of a record in it.
    public var changeNumber: Int64

    /// The highest sequence number of a forgotten deletion in the zone; 0 if none was forgotten.
    public var expirationNumber: Int64

    /// Creates a stored zone.
    ///
    /// - Parameters:
    ///   - zoneID: The zone's ID.
    ///   - creatorName: The record name of the user who saved the zone first; empty for the default zone.
    ///   - creationNumber: The sequence number of the zone's creation.
    ///   - changeNumber: The sequence number of the last change of the zone, or of a record in it.
    ///   - expirationNumber: The highest sequence number of a forgotten deletion in the zone; 0 if none was forgotten.
    public init(
        zoneID: RecordZone.ID, creatorName: String, creationNumber: Int64, changeNumber: Int64,
        expirationNumber: Int64 = 0
    ) {
        self.zoneID = zoneID
        self.creatorName = creatorName
        self.creationNumber = creationNumber
        self.changeNumber = changeNumber
        self.expirationNumber = expirationNumber
    }
}

/// The latest change of a zone or of a record in it.
public enum StoredZoneChange: Sendable, Hashable {
    /// The zone was saved, or a record in it was saved or deleted.
    case changed(StoredZone)

    /// The zone was deleted; another zone may have been saved under its ID since.
    case deleted(RecordZone.ID, sequenceNumber: Int64)

    /// The sequence number of the change in its database.
    public var sequenceNumber: Int64 {
        switch self {
        case .changed(let zone): zone.changeNumber
        case .deleted(_, let number): number
        }
    }
}
