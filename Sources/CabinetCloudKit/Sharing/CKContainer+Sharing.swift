import Cabinet
public import Foundation

extension CKContainer {
    private func opened() throws -> Container { try registry.open(identifier).container }

    /// Fetches the description of a share.
    ///
    /// - Throws: ``CKError/Code/permissionFailure`` if the user may not open the share, or no share has the URL.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        try await CKError.translate { CKShareMetadata(try await opened().shareMetadata(for: url)) }
    }

    /// Fetches the descriptions of several shares.
    ///
    /// - Returns: A description or an error for each URL.
    public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        try await CKError.translate {
            try await opened().shareMetadatas(for: urls).mapValues { $0.translated { CKShareMetadata($0) } }
        }
    }

    /// Accepts a share, whose zone is then in the shared database.
    ///
    /// - Throws: ``CKError/Code/permissionFailure`` if the user may not open the share, and
    ///   ``CKError/Code/tooManyParticipants`` if a public share is full.
    @discardableResult
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        try await CKError.translate {
            CKShare(try await opened().accept(metadata.value).record, of: metadata.value.participant.userRecordName)
        }
    }

    /// Accepts several shares of this container.
    ///
    /// - Returns: The share or an error for each description.
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        try await CKError.translate {
            let results = try await opened().accept(metadatas.map(\.value))
            let pairs = results.map { metadata, result in
                (
                    CKShareMetadata(metadata),
                    result.translated { CKShare($0.record, of: metadata.participant.userRecordName) }
                )
            }
            return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Fails, because Cabinet has no address book; see ``shareParticipant(forUserRecordID:)``.
    public func shareParticipant(forEmailAddress emailAddress: String) async throws -> CKShare.Participant {
        try CKShareParticipant(CKUserIdentity.LookupInfo(emailAddress: emailAddress))
    }

    /// Fails, because Cabinet has no address book; see ``shareParticipant(forUserRecordID:)``.
    public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> CKShare.Participant {
        try CKShareParticipant(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
    }

    /// Returns a participant to add to a share.
    ///
    /// Nothing reveals whether the user exists.
    public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKShare.Participant {
        try CKShareParticipant(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
    }

    /// Fails, because Cabinet has no address book; see ``shareParticipants(forUserRecordIDs:)``.
    public func shareParticipants(
        forEmailAddresses emails: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try participants(emails, CKUserIdentity.LookupInfo.init(emailAddress:))
    }

    /// Fails, because Cabinet has no address book; see ``shareParticipants(forUserRecordIDs:)``.
    public func shareParticipants(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try participants(phoneNumbers, CKUserIdentity.LookupInfo.init(phoneNumber:))
    }

    /// Returns participants to add to a share.
    public func shareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
        try participants(userRecordIDs, CKUserIdentity.LookupInfo.init(userRecordID:))
    }

    private func participants<Key: Hashable>(
        _ keys: [Key], _ lookupInfo: (Key) -> CKUserIdentity.LookupInfo
    ) throws -> [Key: Result<CKShare.Participant, any Error>] {
        let pairs = try keys.map { ($0, Result<_, any Error>.success(try CKShareParticipant(lookupInfo($0)))) }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension CKShareParticipant {
    /// Creates a participant from the ID of a user's record.
    ///
    /// An address without an ID is refused as a whole: in a result, programs would take it for a user without an account.
    convenience init(_ lookupInfo: CKUserIdentity.LookupInfo) throws {
        guard let id = lookupInfo.userRecordID else {
            throw CKError(
                .serverRejectedRequest,
                "Cabinet has no address book, and finds users by the IDs of their records. A user's container returns it: userRecordID()."
            )
        }
        self.init(Share.Participant(userRecordName: id.recordName), lookupInfo: lookupInfo)
    }
}
