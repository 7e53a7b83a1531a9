import Cabinet
import Foundation

/// The users that a server's list of users has, to add them to a share. Without a server, users are found by their record IDs alone.
extension CKContainer {
    /// Returns a participant to add to a share.
    ///
    /// - Throws: ``CKError/Code/unknownItem`` if no user is found.
    public func shareParticipant(forEmailAddress emailAddress: String) async throws -> CKShare.Participant {
        try await shareParticipant(CKUserIdentity.LookupInfo(emailAddress: emailAddress))
    }

    /// Returns a participant to add to a share.
    ///
    /// - Throws: ``CKError/Code/unknownItem`` if no user is found.
    public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> CKShare.Participant {
        try await shareParticipant(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
    }

    /// Returns a participant to add to a share.
    ///
    /// Without a server, nothing reveals whether the user exists.
    public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKShare.Participant {
        try await shareParticipant(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
    }

    /// Returns a participant or an error for each e-mail address.
    public func shareParticipants(
        forEmailAddresses emails: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await participants(emails, CKUserIdentity.LookupInfo.init(emailAddress:))
    }

    /// Returns a participant or an error for each phone number.
    public func shareParticipants(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await participants(phoneNumbers, CKUserIdentity.LookupInfo.init(phoneNumber:))
    }

    /// Returns a participant or an error for each user.
    public func shareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
        try await participants(userRecordIDs, CKUserIdentity.LookupInfo.init(userRecordID:))
    }

    private func shareParticipant(_ lookupInfo: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
        guard let result = try await shareParticipants(for: [lookupInfo]).first else {
            throw CKError(.internalError, "No result.")
        }
        return try result.get()
    }

    private func participants<Key: Hashable>(
        _ keys: [Key], _ lookupInfo: (Key) -> CKUserIdentity.LookupInfo
    ) async throws -> [Key: Result<CKShare.Participant, any Error>] {
        let results = try await shareParticipants(for: keys.map(lookupInfo))
        return Dictionary(zip(keys, results), uniquingKeysWith: { first, _ in first })
    }

    /// Returns a participant or an error for each address, in their order.
    func shareParticipants(
        for lookupInfos: [CKUserIdentity.LookupInfo]
    ) async throws -> [Result<CKShare.Participant, any Error>] {
        try await CKError.translate {
            let container = try registry.open(identifier).container
            let user = container.caller.account?.userRecordName
            let lookups = lookupInfos.map { $0.lookup(of: user) }
            let found = try await container.shareParticipants(for: lookups)
            return zip(lookupInfos, lookups).map { lookupInfo, lookup in
                (found[lookup] ?? .failure(CabinetError(.internalError, "No result."))).translated {
                    CKShareParticipant($0, lookupInfo: lookupInfo)
                }
            }
        }
    }
}

extension CKUserIdentityLookupInfo {
    /// Returns the address as Cabinet has it.
    fileprivate func lookup(of user: String?) -> UserLookup {
        emailAddress.map(UserLookup.emailAddress) ?? phoneNumber.map(UserLookup.phoneNumber)
            ?? .userRecordName(userRecordID?.value.resolvingUser(user).recordName ?? "")
    }
}
