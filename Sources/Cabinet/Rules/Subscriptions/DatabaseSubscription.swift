/// A subscription that reports changes in a database.
///
/// It fires when a program or a delete rule saves or deletes records in any zone, and when zones are created or deleted.
/// Notifications that wait to be fetched are merged. See <doc:Subscriptions>.
public struct DatabaseSubscription: Sendable, Hashable, Codable {
    /// The name of the subscription, unique among those of its user in its database.
    public let subscriptionID: Subscription.ID

    /// The type of the records whose changes fire the subscription, or `nil` for all.
    ///
    /// With a type, new zones do not fire it, because they are empty; deleted zones do.
    public var recordType: Record.RecordType?

    /// Creates a subscription, which is checked when it is saved.
    ///
    /// - Parameters:
    ///   - subscriptionID: The name of the subscription: 1 to 255 printable ASCII characters; by default a new UUID.
    ///   - recordType: The type of the records whose changes fire the subscription, or `nil` for all.
    public init(subscriptionID: Subscription.ID = Subscription.uniqueID(), recordType: Record.RecordType? = nil) {
        self.subscriptionID = subscriptionID
        self.recordType = recordType
    }
}
