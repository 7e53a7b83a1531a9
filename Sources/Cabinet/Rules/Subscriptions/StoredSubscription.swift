/// A stored subscription, with the user who owns it.
public struct StoredSubscription: Sendable, Hashable, Codable {
    /// The record name of the user.
    public let userName: String

    /// The subscription of the user.
    public let subscription: Subscription

    /// The sorted custom roles that the user had when the subscription was saved; `nil` for none.
    ///
    /// In the public database, the user is notified of records that these roles may read.
    public let roles: [String]?

    /// Creates a stored subscription.
    ///
    /// - Parameters:
    ///   - userName: The record name of the user.
    ///   - subscription: The subscription of the user.
    ///   - roles: The custom roles of the user; by default none.
    public init(userName: String, subscription: Subscription, roles: Set<String> = []) {
        self.userName = userName
        self.subscription = subscription
        self.roles = roles.isEmpty ? nil : roles.sorted()
    }
}
