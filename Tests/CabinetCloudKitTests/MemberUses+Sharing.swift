import CabinetCloudKit

private func useShare(_ share: CKShare, _ zone: CKRecordZone) {
    // member: CKShare.init(recordZoneID:)
    _ = CKShare(recordZoneID: zone.zoneID)
    // member: CKShare.init(rootRecord:)
    _ = CKShare(rootRecord: CKRecord(recordType: "Lists"))
    // member: CKShare.publicPermission
    share.publicPermission = .readOnly
    // member: CKShare.url
    _ = share.url
    // member: CKShare.participants
    _ = share.participants
    // member: CKShare.owner
    let owner = share.owner
    // member: CKShare.currentUserParticipant
    _ = share.currentUserParticipant
    // member: CKShare.addParticipant(_:)
    share.addParticipant(owner)
    // member: CKShare.removeParticipant(_:)
    share.removeParticipant(owner)
    // member: CKShare.encodeSystemFields(with:)
    share.encodeSystemFields(with: NSKeyedArchiver(requiringSecureCoding: true))
    // member: CKShare.SystemFieldKey
    share[CKShare.SystemFieldKey.title] = "Groceries"
    // member: CKRecordZone.share
    _ = zone.share
    // member: CKRecordNameZoneWideShare
    _ = CKRecordNameZoneWideShare
}

private func useParticipant(_ participant: CKShare.Participant) {
    // member: CKShare.Participant.userIdentity
    let user = participant.userIdentity
    // member: CKShare.Participant.isEqual(_:)
    _ = participant.isEqual(user)
    // member: CKShare.Participant.role
    participant.role = .privateUser
    // member: CKShare.Participant.permission
    participant.permission = .readWrite
    // member: CKShare.Participant.acceptanceStatus
    _ = participant.acceptanceStatus == .accepted
    // member: CKShare.Participant.participantID
    _ = participant.participantID
    // member: CKShare_Participant_Role
    let _: CKShare_Participant_Role = participant.role
    let _: CKShare_Participant_Permission = participant.permission
    let _: CKShare_Participant_AcceptanceStatus = participant.acceptanceStatus
    let _: CKShare_Participant_ParticipantType = .owner
    // member: CKUserIdentity.contactIdentifiers
    _ = user.contactIdentifiers
    // member: CKUserIdentity.userRecordID
    _ = user.userRecordID
    // member: CKUserIdentity.lookupInfo
    _ = user.lookupInfo
    // member: CKUserIdentity.LookupInfo.init(userRecordID:)
    _ = CKUserIdentity.LookupInfo(userRecordID: CKRecord.ID())
}

private func useMetadata(_ metadata: CKShare.Metadata) {
    // member: CKShare.Metadata.containerIdentifier
    _ = metadata.containerIdentifier
    // member: CKShare.Metadata.share
    _ = metadata.share
    // member: CKShare.Metadata.participantRole
    _ = metadata.participantRole
    // member: CKShare.Metadata.participantStatus
    _ = metadata.participantStatus
    // member: CKShare.Metadata.participantPermission
    _ = metadata.participantPermission
    // member: CKShare.Metadata.ownerIdentity
    _ = metadata.ownerIdentity
}

private func useSharing(_ container: CKContainer, _ metadata: CKShare.Metadata, _ url: URL) async throws {
    let id = CKRecord.ID()
    // member: CKContainer.shareMetadata(for:)
    _ = try await container.shareMetadata(for: url)
    // member: CKContainer.shareMetadatas(for:)
    _ = try await container.shareMetadatas(for: [url])
    // member: CKContainer.fetchShareMetadata(with:completionHandler:)
    container.fetchShareMetadata(with: url) { _, _ in }
    // member: CKContainer.fetchShareMetadatas(for:completionHandler:)
    container.fetchShareMetadatas(for: [url]) { _ in }
    // member: CKContainer.accept(_:)
    _ = try await container.accept(metadata)
    // member: CKContainer.accept(_:) of several
    _ = try await container.accept([metadata])
    // member: CKContainer.accept(_:completionHandler:)
    container.accept(metadata) { _, _ in }
    // member: CKContainer.accept(_:completionHandler:) of several
    container.accept([metadata]) { _ in }
    // member: CKContainer.shareParticipant(forUserRecordID:)
    _ = try await container.shareParticipant(forUserRecordID: id)
    // member: CKContainer.shareParticipant(forEmailAddress:)
    _ = try await container.shareParticipant(forEmailAddress: "")
    // member: CKContainer.shareParticipants(forUserRecordIDs:)
    _ = try await container.shareParticipants(forUserRecordIDs: [id])
    // member: CKContainer.fetchShareParticipant(withUserRecordID:completionHandler:)
    container.fetchShareParticipant(withUserRecordID: id) { _, _ in }
    // member: CKContainer.fetchShareParticipants(forUserRecordIDs:completionHandler:)
    container.fetchShareParticipants(forUserRecordIDs: [id]) { _ in }
    // member: CKContainer.fetchShareParticipants(forEmailAddresses:completionHandler:)
    container.fetchShareParticipants(forEmailAddresses: [""]) { _ in }
    // member: CKContainer.fetchShareParticipants(forPhoneNumbers:completionHandler:)
    container.fetchShareParticipants(forPhoneNumbers: [""]) { _ in }
    // member: CKFetchShareMetadataOperation
    container.add(CKFetchShareMetadataOperation(shareURLs: [url]))
    // member: CKAcceptSharesOperation
    container.add(CKAcceptSharesOperation(shareMetadatas: [metadata]))
    // member: CKFetchShareParticipantsOperation
    container.add(CKFetchShareParticipantsOperation(userIdentityLookupInfos: []))
}

private func useInvitations(_ container: CKContainer, _ share: CKShare, _ url: URL) async throws {
    // member: CKShareParticipant.oneTimeURLParticipant()
    share.addParticipant(CKShare.Participant.oneTimeURLParticipant())
    // member: CKShare.oneTimeURL(for:)
    _ = share.oneTimeURL(for: "")
    // member: CKShare.allowsAccessRequests
    share.allowsAccessRequests = true
    // member: CKShare.requesters
    let requesters = share.requesters
    // member: CKShare.denyRequesters(_:)
    share.denyRequesters(requesters)
    // member: CKShare.blockRequesters(_:)
    share.blockRequesters(requesters)
    // member: CKShare.blockedIdentities
    let blocked = share.blockedIdentities
    // member: CKShare.unblockIdentities(_:)
    share.unblockIdentities(blocked)
    // member: CKShareRequestAccessOperation
    container.add(CKShareRequestAccessOperation(shareURLs: [url]))
    // member: CKContainer.requestShareAccess(for:)
    _ = try await container.requestShareAccess(for: [url])
    let operation = CKFetchShareMetadataOperation(shareURLs: [url])
    // member: CKFetchShareMetadataOperation.shouldFetchRootRecord
    operation.shouldFetchRootRecord = true
}

@available(*, deprecated)
private func useOlderNames(_ participant: CKShare.Participant, _ metadata: CKShare.Metadata) {
    // member: CKShare.Participant.type
    participant.type = .privateUser
    // member: CKShare.Metadata.participantType
    _ = metadata.participantType
}
