import Cabinet
public import Foundation

/// A record that shares the records of a zone with other users.
///
/// ```swift
/// let share = CKShare(recordZoneID: zone.zoneID)
/// share[CKShare.SystemFieldKey.title] = "Groceries"
/// share.addParticipant(
///     try await container.shareParticipant(forUserRecordID: ben))
/// try await container.privateCloudDatabase.save(share)
/// print(share.url)
/// ```
///
/// The share of a zone covers all of its records. A share of a record covers the record and everything below it along `parent`, and is first
/// saved in one batch with the record.
// Unchecked, and safe: it has no stored properties of its own.
open class CKShare: CKRecord, @unchecked Sendable {
    /// A user who takes part in a share.
    public typealias Participant = CKShareParticipant
    /// A user that has asked to take part in a share.
    public typealias AccessRequester = CKShareAccessRequester
    /// A user that may not ask to take part in a share.
    public typealias BlockedIdentity = CKShareBlockedIdentity
    /// The description of a share that its URL leads to.
    public typealias Metadata = CKShareMetadata

    /// Creates the object for a share of a database.
    override init(_ value: Record, of user: String?) {
        super.init(value, of: user)
    }

    /// Creates a share of a record and everything below it.
    public convenience init(rootRecord: CKRecord) {
        let id = CKRecord.ID(recordName: "Share-" + UUID().uuidString, zoneID: rootRecord.recordID.zoneID)
        self.init(rootRecord: rootRecord, shareID: id)
    }

    /// Creates a share of a record and everything below it, with an ID in the record's zone.
    public convenience init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        self.init(Share(rootRecord: rootRecord.value, shareID: shareID.value).record, of: nil)
    }

    /// Creates a share of a zone of the private database.
    public convenience init(recordZoneID: CKRecordZone.ID) {
        self.init(Share(recordZoneID: recordZoneID.value).record, of: nil)
    }

    private static let membersKey = "CabinetShareMembers"

    /// Reads a share, or the system fields of one, from an archive.
    ///
    /// A share of system fields has what its members show, as it was fetched, and no other fields.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        if let members: Record = coder.decodeContent(forKey: Self.membersKey) { change { $0 = members } }
    }

    /// Writes the share's system fields into an archive, with its participants, permissions and URL as they were fetched.
    open override func encodeSystemFields(with coder: NSCoder) {
        super.encodeSystemFields(with: coder)
        coder.encodeContent(value.withMembersOfShare, forKey: Self.membersKey)
    }

    /// Returns a share with the same content, which changes independently.
    open override func copy(with zone: NSZone? = nil) -> Any { CKShare(value, of: user) }

    /// The permission of every user that knows the URL.
    ///
    /// A change from `none` removes the participants that have not accepted, and a change to it removes all, but not those that the
    /// same save adds.
    open var publicPermission: ParticipantPermission {
        get { content.map { ParticipantPermission($0.publicPermission) } ?? .unknown }
        set { update { $0.publicPermission = newValue.value } }
    }

    /// The URL of the share, which only a saved one has.
    open var url: URL? { content?.url }

    /// The participants that the user may see; the owner comes first.
    ///
    /// A change of a participant's role or permission is a change of the share, which it must be saved for.
    open var participants: [Participant] {
        let others = content?.participants.filter { $0.role != .owner } ?? []
        return [owner] + others.map { Participant($0, in: self) }
    }

    /// The owner of the share.
    open var owner: Participant { Participant(content?.owner ?? .newOwner, in: self) }

    /// The participant that the user of the container is; `nil` for a user that has not accepted.
    open var currentUserParticipant: Participant? {
        guard let user else {
            return value.recordID.zoneID.ownerName == CKCurrentUserDefaultName ? owner : nil
        }
        return content?.participant(for: RecordID(recordName: user)).map { Participant($0, in: self) }
    }

    /// Adds a participant, or changes the role and the permission of the one that the same user is.
    ///
    /// Only a private share, whose ``publicPermission`` is `none`, accepts new participants.
    open func addParticipant(_ participant: Participant) {
        let value = participant.value
        update { $0.addParticipant(value) }
        participant.move(to: self)
    }

    /// Removes a participant, which loses the zone when the share is saved.
    open func removeParticipant(_ participant: Participant) {
        let value = participant.value
        update { $0.removeParticipant(value) }
        participant.move(to: nil)
    }

    /// Returns the URL of a participant of ``CKShareParticipant/oneTimeURLParticipant()``, after the share was saved.
    ///
    /// The first user that opens it becomes the participant.
    open func oneTimeURL(for participantID: Participant.ID) -> URL? { content?.oneTimeURL(for: participantID) }

    /// The users that wait for an answer, as the owner and administrators see them.
    ///
    /// To approve one, add the participant that ``CKShareAccessRequester/participantLookupInfo`` finds, and save the share.
    open var requesters: [AccessRequester] { content?.requesters.map(AccessRequester.init) ?? [] }

    /// The users that may not ask to take part.
    open var blockedIdentities: [BlockedIdentity] { content?.blockedIdentities.map(BlockedIdentity.init) ?? [] }

    /// Whether users that know the URL may ask to take part.
    open var allowsAccessRequests: Bool {
        get { content?.allowsAccessRequests ?? false }
        set { update { $0.allowsAccessRequests = newValue } }
    }

    /// Refuses users, who may ask again, when the share is saved.
    open func denyRequesters(_ requesters: [AccessRequester]) {
        let values = requesters.map(\.value)
        update { $0.denyRequesters(values) }
    }

    /// Refuses users, who may not ask again, when the share is saved.
    open func blockRequesters(_ requesters: [AccessRequester]) {
        let values = requesters.map(\.value)
        update { $0.blockRequesters(values) }
    }

    /// Lets users ask again, when the share is saved.
    open func unblockIdentities(_ blockedIdentities: [BlockedIdentity]) {
        let values = blockedIdentities.map(\.value)
        update { $0.unblockIdentities(values) }
    }
}

extension CKShare {
    /// The share as Cabinet has it; `nil` if a program has set a field of its members to something else.
    var content: Share? { try? Share(value) }

    /// Changes the share as Cabinet has it.
    ///
    /// The closure is called with the lock of the share, so it reads nothing of the share or of its participants.
    func update(_ body: (inout Share) -> Void) {
        change { record in
            guard var share = try? Share(record) else {
                // A save of the share fails, and names the field.
                for key in Share.SystemFieldKey.ofMembers { record[key] = unsupportedValue(of: record) }
                return
            }
            body(&share)
            record = share.record
        }
    }
}

/// The key of a share's title.
public let CKShareTitleKey = CKShare.SystemFieldKey.title
/// The key of a share's small picture.
public let CKShareThumbnailImageDataKey = CKShare.SystemFieldKey.thumbnailImageData
/// The key of the type of what is shared.
public let CKShareTypeKey = CKShare.SystemFieldKey.shareType
