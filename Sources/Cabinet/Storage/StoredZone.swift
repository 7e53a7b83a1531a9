/// A zone as it is stored.
public struct StoredZone: Sendable, Hashable, Codable {
    /// The zone's ID.
    public let zoneID: RecordZone.ID

    /// The record name of the user who saved the zone first; empty for the default zone, which nobody saves.
    public let creatorName: String

    /// The sequence number of the zone's making; 0 for the default zone, or the number with which the database's changes begin, if it
    /// was copied from another store.
    public let creationNumber: Int64

    /// The sequence number of the last change of the zone, or of a record in it.
    public var changeNumber: Int64

    /// The highest sequence number of a deletion in the zone that is not remembered any more; 0 if all are.
    public var expirationNumber: Int64

    /// Creates a stored zone.
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
