import Foundation

/// An operation that marked notifications as read, which CloudKit has removed: it succeeds, and has no effect.
// Unchecked, and safe as its base class is.
@available(*, deprecated, message: "Use CKDatabaseSubscription and CKFetchDatabaseChangesOperation.")
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
    /// The notifications to mark.
    open var notificationIDs: [CKNotification.ID]
    /// A block that is called at the end.
    open var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

    /// Creates an operation.
    public init(notificationIDsToMarkRead: [CKNotification.ID]) {
        notificationIDs = notificationIDsToMarkRead
        super.init()
    }

    override func perform() async {
        await call { self.markNotificationsReadCompletionBlock?(self.notificationIDs, nil) }
    }

    override func end(_ error: any Error) { markNotificationsReadCompletionBlock?(nil, error) }
}
