import Cabinet
public import Foundation

/// A share of records with other users.
///
/// The type exists, so that programs with it compile. Cabinet has no shares: saving one fails with
/// ``CKError/Code/serverRejectedRequest``, and no server returns one.
// Unchecked, and safe as far as CloudKit's own is: the settings are set before the share is saved.
open class CKShare: CKRecord, @unchecked Sendable {
    /// A user who takes part in a share.
    public typealias Participant = CKShareParticipant
    /// The description of a share that a user was invited to.
    public typealias Metadata = CKShareMetadata

    /// The permission of everyone with the address.
    open var publicPermission: ParticipantPermission = .none
    /// The address of the share, which only a saved one has.
    open var url: URL? { nil }
    /// The users who take part.
    open private(set) var participants: [Participant] = []
    /// The owner of the share.
    open var owner: Participant { Participant(role: .owner) }
    /// The participant who is the container's user.
    open var currentUserParticipant: Participant? { owner }

    /// Creates a share of a hierarchy of records.
    public convenience init(rootRecord: CKRecord) {
        let id = CKRecord.ID(recordName: "Share-" + UUID().uuidString, zoneID: rootRecord.recordID.zoneID)
        self.init(rootRecord: rootRecord, shareID: id)
    }

    /// Creates a share of a hierarchy of records, with an ID.
    public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        super.init(recordType: CKRecord.SystemType.share, recordID: shareID)
    }

    /// Creates a share of a zone.
    public init(recordZoneID: CKRecordZone.ID) {
        let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID)
        super.init(recordType: CKRecord.SystemType.share, recordID: id)
    }

    /// Reads a share from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// Adds a user.
    open func addParticipant(_ participant: Participant) {
        if !participants.contains(participant) { participants.append(participant) }
    }

    /// Removes a user.
    open func removeParticipant(_ participant: Participant) {
        participants.removeAll { $0 == participant }
    }

    /// The address with which a participant may open the share once, which only a saved share has.
    open func oneTimeURL(for participantID: Participant.ID) -> URL? { nil }

    /// The users who have asked to take part: none, because Cabinet has no shares.
    open var requesters: [CKShareAccessRequester] { [] }

    /// The users who may not ask to take part: none, because Cabinet has no shares.
    open var blockedIdentities: [CKShareBlockedIdentity] { [] }

    /// Whether users may ask to take part, which is accepted and ignored.
    open var allowsAccessRequests = false {
        didSet { IgnoredMember.warn("CKShare.allowsAccessRequests", "Cabinet has no shares") }
    }

    /// The keys of a share's system fields.
    public enum SystemFieldKey {
        /// The key of the title.
        public static let title: CKRecord.FieldKey = "cloudkit.title"
        /// The key of the small picture.
        public static let thumbnailImageData: CKRecord.FieldKey = "cloudkit.thumbnailImageData"
        /// The key of the type of what is shared.
        public static let shareType: CKRecord.FieldKey = "cloudkit.type"
    }

    /// The older kinds of participants, with CloudKit's numbers.
    public enum ParticipantType: Int, Sendable, Hashable {
        /// It is unknown.
        case unknown = 0
        /// The owner.
        case owner = 1
        /// An invited user.
        case privateUser = 3
        /// A user who has the address.
        case publicUser = 4
    }

    /// The permissions of a participant.
    public enum ParticipantPermission: Int, Sendable, Hashable {
        /// It is unknown.
        case unknown = 0
        /// Nothing.
        case none = 1
        /// Read.
        case readOnly = 2
        /// Read and write.
        case readWrite = 3
    }

    /// The part that a user has in a share.
    public enum ParticipantRole: Int, Sendable, Hashable {
        /// It is unknown.
        case unknown = 0
        /// The owner.
        case owner = 1
        /// A user with the owner's rights.
        case administrator = 2
        /// An invited user.
        case privateUser = 3
        /// A user who has the address.
        case publicUser = 4
    }

    /// The state of an invitation.
    public enum ParticipantAcceptanceStatus: Int, Sendable, Hashable {
        /// It is unknown.
        case unknown = 0
        /// The user has not answered.
        case pending = 1
        /// The user has accepted.
        case accepted = 2
        /// The user was removed.
        case removed = 3
    }
}

/// The key of a share's title.
public let CKShareTitleKey = CKShare.SystemFieldKey.title
/// The key of a share's small picture.
public let CKShareThumbnailImageDataKey = CKShare.SystemFieldKey.thumbnailImageData
/// The key of the type of what is shared.
public let CKShareTypeKey = CKShare.SystemFieldKey.shareType
