/// A subscription as it is stored: with the user whom it belongs to.
public struct StoredSubscription: Sendable, Hashable, Codable {
    /// The record name of the user.
    public let userName: String

    /// What the user wants to be told of.
    public let subscription: Subscription

    /// Creates a stored subscription.
    public init(userName: String, subscription: Subscription) {
        self.userName = userName
        self.subscription = subscription
    }
}
