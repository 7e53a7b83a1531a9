import Foundation

/// An operation that returns participants to add to a share, by the IDs of users' records.
///
/// It fails as a whole if one of the users is looked up by another address, because Cabinet has no address book.
// Unchecked, and safe as its base class is.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    /// The addresses of the users.
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

    /// A block that is called for each participant.
    open var perShareParticipantResultBlock:
        ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
    /// The older block that is called for each participant.
    open var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
    /// A block that is called at the end.
    open var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end.
    open var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func perform() async throws {
        let found = try (userIdentityLookupInfos ?? []).map { ($0, try CKShareParticipant($0)) }
        await call {
            for (lookupInfo, participant) in found {
                self.shareParticipantFetchedBlock?(participant)
                self.perShareParticipantResultBlock?(lookupInfo, .success(participant))
            }
            self.fetchShareParticipantsResultBlock?(.success(()))
            self.fetchShareParticipantsCompletionBlock?(nil)
        }
    }

    override func end(_ error: any Error) {
        fetchShareParticipantsResultBlock?(.failure(error))
        fetchShareParticipantsCompletionBlock?(error)
    }
}
