/// Tells that something has changed in a zone.
///
/// It fires when records in the zone are saved or deleted, by a program or by a delete rule, and when the zone is deleted, with
/// which it goes. Notifications that wait to be fetched become one.
public struct RecordZoneSubscription: Sendable, Hashable, Codable {
    /// The name of the subscription, unique among those of its user in its database.
    public let subscriptionID: Subscription.ID

    /// The zone; the default zone may be one.
    public let zoneID: RecordZone.ID

    /// The type of the records whose changes fire the subscription, or `nil` for all; the zone's deletion always does.
    public var recordType: Record.RecordType?

    /// Creates a subscription, which is checked when it is saved.
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - subscriptionID: The name of the subscription: 1 to 255 printable ASCII characters; by default a new UUID.
    ///   - recordType: The type of the records whose changes count, or `nil` for all.
    public init(
        zoneID: RecordZone.ID, subscriptionID: Subscription.ID = Subscription.uniqueID(),
        recordType: Record.RecordType? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.zoneID = zoneID
        self.recordType = recordType
    }
}
