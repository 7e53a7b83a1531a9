import Foundation

/// An operation that fetches subscriptions by ID, or all of them.
// Unchecked, and safe as its base class is.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The IDs of the subscriptions, or `nil` for all.
    open var subscriptionIDs: [CKSubscription.ID]?

    /// A block that is called for each subscription.
    open var perSubscriptionResultBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
    /// A block that is called at the end; failures of single subscriptions are not failures of the operation.
    open var fetchSubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with ``CKError/Code/partialFailure`` if a subscription failed.
    open var fetchSubscriptionCompletionBlock: (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?

    /// Creates an operation that fetches subscriptions by ID.
    public convenience init(subscriptionIDs: [CKSubscription.ID]) {
        self.init()
        self.subscriptionIDs = subscriptionIDs
    }

    /// Creates an operation that fetches all subscriptions.
    public override init() {
        super.init()
    }

    /// Returns an operation that fetches all subscriptions.
    open class func fetchAllSubscriptionsOperation() -> CKFetchSubscriptionsOperation {
        CKFetchSubscriptionsOperation()
    }

    override func perform() async {
        await run { () -> [(CKSubscription.ID, Result<CKSubscription, any Error>)] in
            guard let subscriptionIDs else {
                return try await target.allSubscriptions().map { ($0.subscriptionID, .success($0)) }
            }
            let found = try await target.subscriptions(for: subscriptionIDs)
            return subscriptionIDs.map { ($0, target.item($0, in: found)) }
        } report: { results in
            var errors: [AnyHashable: any Error] = [:]
            let found = results.report(to: self.perSubscriptionResultBlock, &errors)
            self.fetchSubscriptionsResultBlock?(.success(()))
            self.fetchSubscriptionCompletionBlock?(
                Dictionary(found.map { ($0.id, $0.item) }, uniquingKeysWith: { $1 }), CKError(partial: errors))
        }
    }

    override func end(_ error: any Error) {
        fetchSubscriptionsResultBlock?(.failure(error))
        fetchSubscriptionCompletionBlock?(nil, error)
    }
}
