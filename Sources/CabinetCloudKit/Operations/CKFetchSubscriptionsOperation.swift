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

    /// Returns an operation that fetches all subscriptions.
    open class func fetchAllSubscriptionsOperation() -> CKFetchSubscriptionsOperation {
        CKFetchSubscriptionsOperation()
    }

    override func perform() async throws {
        let results: [(CKSubscription.ID, Result<CKSubscription, any Error>)] =
            if let ids = subscriptionIDs {
                target.items(ids, in: try await target.subscriptions(for: ids))
            } else {
                try await target.allSubscriptions().map { ($0.subscriptionID, .success($0)) }
            }
        await call {
            var errors: [AnyHashable: any Error] = [:]
            let found = results.report(to: self.perSubscriptionResultBlock, &errors)
            self.fetchSubscriptionsResultBlock?(.success(()))
            self.fetchSubscriptionCompletionBlock?(
                Dictionary(found, uniquingKeysWith: { $1 }), CKError(partial: errors))
        }
    }

    override func end(_ error: any Error) {
        fetchSubscriptionsResultBlock?(.failure(error))
        fetchSubscriptionCompletionBlock?(nil, error)
    }
}
