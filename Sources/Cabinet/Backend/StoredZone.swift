/// A zone as it is stored.
public struct StoredZone: Sendable, Hashable {
    /// The zone's ID.
    public let zoneID: RecordZone.ID

    /// The record name of the user who saved the zone first.
    public let creatorName: String

    /// Creates a stored zone.
    public init(zoneID: RecordZone.ID, creatorName: String) {
        self.zoneID = zoneID
        self.creatorName = creatorName
    }
}
