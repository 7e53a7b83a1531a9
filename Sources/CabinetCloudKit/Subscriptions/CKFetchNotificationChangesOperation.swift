import Foundation

/// An operation that fetched earlier notifications, which CloudKit has removed: it fails with
/// ``CKError/Code/serverRejectedRequest``.
// Unchecked, and safe as its base class is.
@available(*, deprecated, message: "Use CKDatabaseSubscription and CKFetchDatabaseChangesOperation.")
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
    /// The token after which the notifications begin.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The largest number of notifications.
    open var resultsLimit = 0
    /// Whether more notifications exist: never.
    open var moreComing: Bool { false }
    /// A block that is not called, because there is no notification.
    open var notificationChangedBlock: ((CKNotification) -> Void)?
    /// A block that is called at the end, with the error.
    open var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func perform() async throws {
        throw CKError.unsupported("list of notifications. Use a database subscription and its changes")
    }

    override func end(_ error: any Error) { fetchNotificationChangesCompletionBlock?(nil, error) }
}
