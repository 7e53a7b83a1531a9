import Foundation

/// An operation that saves and deletes subscriptions.
// Unchecked, and safe as its base class is.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions to save.
    open var subscriptionsToSave: [CKSubscription]?
    /// The IDs of the subscriptions to delete.
    open var subscriptionIDsToDelete: [CKSubscription.ID]?

    /// A block that is called for each subscription to save.
    open var perSubscriptionSaveBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
    /// A block that is called for each subscription to delete.
    open var perSubscriptionDeleteBlock: ((CKSubscription.ID, Result<Void, any Error>) -> Void)?
    /// A block that is called at the end; failures of single subscriptions are not failures of the operation.
    open var modifySubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with ``CKError/Code/partialFailure`` if a subscription failed.
    open var modifySubscriptionsCompletionBlock: (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(
        subscriptionsToSave: [CKSubscription]? = nil, subscriptionIDsToDelete: [CKSubscription.ID]? = nil
    ) {
        self.init()
        self.subscriptionsToSave = subscriptionsToSave
        self.subscriptionIDsToDelete = subscriptionIDsToDelete
    }

    override func perform() async throws {
        let (saves, deletes) = (subscriptionsToSave ?? [], subscriptionIDsToDelete ?? [])
        let results = try await target.modifySubscriptions(saving: saves, deleting: deletes)
        let saveResults = target.items(saves.map(\.subscriptionID), in: results.saveResults)
        let deleteResults = target.items(deletes, in: results.deleteResults)
        await call {
            var errors: [AnyHashable: any Error] = [:]
            let saved = saveResults.report(to: self.perSubscriptionSaveBlock, &errors).map(\.1)
            let deleted = deleteResults.report(to: self.perSubscriptionDeleteBlock, &errors).map(\.0)
            self.modifySubscriptionsResultBlock?(.success(()))
            self.modifySubscriptionsCompletionBlock?(saved, deleted, CKError(partial: errors))
        }
    }

    override func end(_ error: any Error) {
        modifySubscriptionsResultBlock?(.failure(error))
        modifySubscriptionsCompletionBlock?(nil, nil, error)
    }
}
