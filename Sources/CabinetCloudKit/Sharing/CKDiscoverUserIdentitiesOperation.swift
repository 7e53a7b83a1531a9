import Foundation

/// An operation that finds users by their addresses, which Cabinet does not have: it fails with ``CKError/Code/serverRejectedRequest``.
// Unchecked, and safe as its base class is.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// The addresses of the users.
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

    /// A block that is not called, because there is no item.
    open var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
    /// A block that is called at the end, with the error.
    open var discoverUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with the error.
    open var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func perform() async throws { throw CKError.unsupported("address book") }

    override func end(_ error: any Error) {
        discoverUserIdentitiesResultBlock?(.failure(error))
        discoverUserIdentitiesCompletionBlock?(error)
    }
}
