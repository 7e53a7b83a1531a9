/// A subscription that reports changes in a zone.
///
/// It fires when a program or a delete rule saves or deletes records in the zone. It also fires when the zone is deleted, and is
/// then removed. Notifications that wait to be fetched are merged. See <doc:Subscriptions>.
public struct RecordZoneSubscription: Sendable, Hashable, Codable {
    /// The name of the subscription, unique among those of its user in its database.
    public let subscriptionID: Subscription.ID

    /// The zone, which may be the default zone.
    public let zoneID: RecordZone.ID

    /// The type of the records whose changes fire the subscription, or `nil` for all; the zone's deletion always fires it.
    public var recordType: Record.RecordType?

    /// Creates a subscription, which is checked when it is saved.
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - subscriptionID: The name of the subscription: 1 to 255 printable ASCII characters; by default a new UUID.
    ///   - recordType: The type of the records whose changes fire the subscription, or `nil` for all.
    public init(
        zoneID: RecordZone.ID, subscriptionID: Subscription.ID = Subscription.uniqueID(),
        recordType: Record.RecordType? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.zoneID = zoneID
        self.recordType = recordType
    }
}
