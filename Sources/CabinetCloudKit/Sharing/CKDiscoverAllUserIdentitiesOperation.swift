import Foundation

/// An operation that finds all users of the address book, which Cabinet does not have: it fails with
/// ``CKError/Code/serverRejectedRequest``.
// Unchecked, and safe as its base class is.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// A block that is not called, because there is no user.
    open var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
    /// A block that is called at the end, with the error.
    open var discoverAllUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with the error.
    open var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    override func perform() async throws { throw CKError.unsupported("address book") }

    override func end(_ error: any Error) {
        discoverAllUserIdentitiesResultBlock?(.failure(error))
        discoverAllUserIdentitiesCompletionBlock?(error)
    }
}
