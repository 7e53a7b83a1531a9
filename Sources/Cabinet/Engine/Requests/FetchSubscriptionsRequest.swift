/// A request for a user's subscriptions.
struct FetchSubscriptionsRequest: Sendable {
    var scope: DatabaseScope
    /// The subscriptions' IDs, or `nil` for all.
    var subscriptionIDs: [Subscription.ID]?
}
