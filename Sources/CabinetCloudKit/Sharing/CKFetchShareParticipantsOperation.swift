import Foundation

/// An operation that fetches users to invite, which Cabinet does not have: it fails with ``CKError/Code/serverRejectedRequest``.
// Unchecked, and safe as its base class is.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    /// The addresses of the users.
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

    /// A block that is not called, because there is no item.
    open var perShareParticipantResultBlock:
        ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
    /// The older block that is not called, because there is no item.
    open var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
    /// A block that is called at the end, with the error.
    open var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with the error.
    open var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func perform() async throws { throw CKError.unsupported("shares") }

    override func end(_ error: any Error) {
        fetchShareParticipantsResultBlock?(.failure(error))
        fetchShareParticipantsCompletionBlock?(error)
    }
}
