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

    /// Creates an operation that has nothing to do yet.
    public override init() {
        super.init()
    }

    override func perform() async {
        do {
            let (saves, deletes) = (subscriptionsToSave ?? [], subscriptionIDsToDelete ?? [])
            let results = try await target.modifySubscriptions(saving: saves, deleting: deletes)
            let saved = saves.map { ($0.subscriptionID, target.item($0.subscriptionID, in: results.saveResults)) }
            let deleted = deletes.map { ($0, target.item($0, in: results.deleteResults)) }
            await call { self.report(saved, deleted) }
        } catch {
            await fail(error)
        }
    }

    private func report(
        _ saves: [(CKSubscription.ID, Result<CKSubscription, any Error>)],
        _ deletes: [(CKSubscription.ID, Result<Void, any Error>)]
    ) {
        var errors: [AnyHashable: any Error] = [:]
        for (id, result) in saves {
            if case .failure(let error) = result { errors[id] = error }
            perSubscriptionSaveBlock?(id, result)
        }
        for (id, result) in deletes {
            if case .failure(let error) = result { errors[id] = error }
            perSubscriptionDeleteBlock?(id, result)
        }
        modifySubscriptionsResultBlock?(.success(()))
        modifySubscriptionsCompletionBlock?(
            saves.compactMap { try? $0.1.get() }, deletes.filter { errors[$0.0] == nil }.map(\.0),
            CKError(partial: errors))
    }

    override func fail(_ error: any Error) async {
        await call {
            self.modifySubscriptionsResultBlock?(.failure(error))
            self.modifySubscriptionsCompletionBlock?(nil, nil, error)
        }
    }
}
