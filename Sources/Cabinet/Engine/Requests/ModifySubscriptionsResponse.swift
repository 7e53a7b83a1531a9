/// The result of each subscription of a ``ModifySubscriptionsRequest``.
struct ModifySubscriptionsResponse: Sendable {
    var saveResults: [Subscription.ID: Result<Subscription, CabinetError>] = [:]
    var deleteResults: [Subscription.ID: Result<Void, CabinetError>] = [:]
}
