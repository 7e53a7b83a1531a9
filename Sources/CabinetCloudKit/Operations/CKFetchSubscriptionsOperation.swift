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
        do {
            let results: [(CKSubscription.ID, Result<CKSubscription, any Error>)]
            if let subscriptionIDs {
                let found = try await target.subscriptions(for: subscriptionIDs)
                results = subscriptionIDs.map { ($0, target.item($0, in: found)) }
            } else {
                results = try await target.allSubscriptions().map { ($0.subscriptionID, .success($0)) }
            }
            await call { self.report(results) }
        } catch {
            await fail(error)
        }
    }

    private func report(_ results: [(CKSubscription.ID, Result<CKSubscription, any Error>)]) {
        var found: [CKSubscription.ID: CKSubscription] = [:]
        var errors: [AnyHashable: any Error] = [:]
        for (id, result) in results {
            switch result {
            case .success(let item): found[id] = item
            case .failure(let error): errors[id] = error
            }
            perSubscriptionResultBlock?(id, result)
        }
        fetchSubscriptionsResultBlock?(.success(()))
        fetchSubscriptionCompletionBlock?(found, CKError(partial: errors))
    }

    override func fail(_ error: any Error) async {
        await call {
            self.fetchSubscriptionsResultBlock?(.failure(error))
            self.fetchSubscriptionCompletionBlock?(nil, error)
        }
    }
}
