/// A request to save and delete subscriptions.
struct ModifySubscriptionsRequest: Sendable {
    var scope: DatabaseScope
    var subscriptionsToSave: [Subscription]
    var subscriptionIDsToDelete: [Subscription.ID]
}
