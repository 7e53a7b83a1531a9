import Foundation

/// The address book, which Cabinet does not have: every request fails with ``CKError/Code/serverRejectedRequest``.
extension CKContainer {
    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverUserIdentity(
        withEmailAddress email: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("address book") }
    }

    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("address book") }
    }

    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverAllIdentities(
        completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("address book") }
    }
}
