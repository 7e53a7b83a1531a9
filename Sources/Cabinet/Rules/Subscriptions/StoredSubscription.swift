/// A stored subscription, with the user who owns it.
public struct StoredSubscription: Sendable, Hashable, Codable {
    /// The record name of the user.
    public let userName: String

    /// The subscription of the user.
    public let subscription: Subscription

    /// Creates a stored subscription.
    ///
    /// - Parameters:
    ///   - userName: The record name of the user.
    ///   - subscription: The subscription of the user.
    public init(userName: String, subscription: Subscription) {
        self.userName = userName
        self.subscription = subscription
    }
}
