/// Asks for subscriptions to be saved and deleted.
struct ModifySubscriptionsRequest: Sendable {
    var scope: DatabaseScope
    var subscriptionsToSave: [Subscription]
    var subscriptionIDsToDelete: [Subscription.ID]
}
