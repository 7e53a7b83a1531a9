public import Foundation

/// A stored notification, for a user who fetches it later.
public struct StoredNotification: Sendable, Hashable, Codable {
    /// The record name of the user.
    public let userName: String

    /// The sequence number of the notification in its database.
    public var sequenceNumber: Int64

    /// The date of the notification.
    public let date: Date

    /// The device that made the change.
    public let deviceID: String

    /// The subscription that fired.
    public let subscriptionID: Subscription.ID

    /// The reported event.
    public let event: SubscriptionNotification.Event

    /// The key of the notifications that this one replaces; `nil` if it replaces none.
    public let replacementKey: String?

    /// Creates a stored notification.
    ///
    /// - Parameters:
    ///   - userName: The record name of the user.
    ///   - sequenceNumber: The sequence number of the notification in its database.
    ///   - date: The date of the notification.
    ///   - deviceID: The device that made the change.
    ///   - subscriptionID: The subscription that fired.
    ///   - event: The reported event.
    ///   - replacementKey: The key of the notifications that this one replaces; `nil` if it replaces none.
    public init(
        userName: String, sequenceNumber: Int64, date: Date, deviceID: String, subscriptionID: Subscription.ID,
        event: SubscriptionNotification.Event, replacementKey: String? = nil
    ) {
        self.userName = userName
        self.sequenceNumber = sequenceNumber
        self.date = date
        self.deviceID = deviceID
        self.subscriptionID = subscriptionID
        self.event = event
        self.replacementKey = replacementKey
    }
}
