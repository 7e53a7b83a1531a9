public import Foundation

extension CKContainer {
    /// Fetches the description of a share, and passes it to a closure.
    @preconcurrency
    public func fetchShareMetadata(
        with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.shareMetadata(for: url) }
    }

    /// Fetches the descriptions of several shares, and passes the results to a closure.
    @preconcurrency
    public func fetchShareMetadatas(
        for urls: [URL],
        completionHandler: @escaping @Sendable (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
    ) {
        complete(result: completionHandler) { try await self.shareMetadatas(for: urls) }
    }

    /// Accepts a share, and passes it to a closure.
    @preconcurrency
    public func accept(
        _ metadata: CKShare.Metadata, completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.accept(metadata) }
    }

    /// Accepts several shares, and passes the results to a closure.
    @preconcurrency
    public func accept(
        _ metadatas: [CKShare.Metadata],
        completionHandler:
            @escaping @Sendable (Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>) -> Void
    ) {
        complete(result: completionHandler) { try await self.accept(metadatas) }
    }

    /// Passes a participant to add to a share to a closure.
    @preconcurrency
    public func fetchShareParticipant(
        withEmailAddress emailAddress: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.shareParticipant(forEmailAddress: emailAddress) }
    }

    /// Passes a participant to add to a share to a closure.
    @preconcurrency
    public func fetchShareParticipant(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.shareParticipant(forPhoneNumber: phoneNumber) }
    }

    /// Passes a participant to add to a share to a closure.
    @preconcurrency
    public func fetchShareParticipant(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.shareParticipant(forUserRecordID: userRecordID) }
    }

    /// Passes participants to add to a share to a closure.
    @preconcurrency
    public func fetchShareParticipants(
        forEmailAddresses emails: [String],
        completionHandler:
            @escaping @Sendable (Result<[String: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        complete(result: completionHandler) { try await self.shareParticipants(forEmailAddresses: emails) }
    }

    /// Passes participants to add to a share to a closure.
    @preconcurrency
    public func fetchShareParticipants(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler:
            @escaping @Sendable (Result<[String: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        complete(result: completionHandler) { try await self.shareParticipants(forPhoneNumbers: phoneNumbers) }
    }

    /// Passes participants to add to a share to a closure.
    @preconcurrency
    public func fetchShareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKRecord.ID: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        complete(result: completionHandler) { try await self.shareParticipants(forUserRecordIDs: userRecordIDs) }
    }
}
