public import Foundation

/// A notification as it is stored, for a user who fetches it later.
public struct StoredNotification: Sendable, Hashable, Codable {
    /// The record name of the user.
    public let userName: String

    /// The number of the notification among the changes of its database.
    public var sequenceNumber: Int64

    /// When it was made.
    public let date: Date

    /// The device that has made the change.
    public let deviceID: String

    /// The subscription that tells it.
    public let subscriptionID: Subscription.ID

    /// What it tells.
    public let event: SubscriptionNotification.Event

    /// Of the user's notifications that have the same key, only the last one is worth keeping; `nil` if this one is worth it in
    /// any case.
    public let replacementKey: String?

    /// Creates a stored notification.
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
