import Foundation

/// An operation that returns participants to add to a share, by the IDs of users' records or by the addresses that a server knows.
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
        let lookupInfos = userIdentityLookupInfos ?? []
        let results = try await (container ?? .default()).shareParticipants(for: lookupInfos)
        await call {
            var errors: [AnyHashable: any Error] = [:]
            for (lookupInfo, result) in zip(lookupInfos, results) {
                switch result {
                case .success(let participant): self.shareParticipantFetchedBlock?(participant)
                case .failure(let error): errors[lookupInfo] = error
                }
                self.perShareParticipantResultBlock?(lookupInfo, result)
            }
            self.fetchShareParticipantsResultBlock?(.success(()))
            self.fetchShareParticipantsCompletionBlock?(CKError(partial: errors))
        }
    }

    override func end(_ error: any Error) {
        fetchShareParticipantsResultBlock?(.failure(error))
        fetchShareParticipantsCompletionBlock?(error)
    }
}
