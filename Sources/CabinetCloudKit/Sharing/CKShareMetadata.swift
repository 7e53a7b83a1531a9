import Cabinet
public import Foundation

/// The description of a share that its URL leads to. CloudKit's `CKShare.Metadata`.
// Unchecked, and safe: all properties are constants.
open class CKShareMetadata: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The description as Cabinet has it.
    let value: Share.Metadata

    init(_ value: Share.Metadata) {
        self.value = value
        share = CKShare(value.share.record, of: value.participant.userRecordName)
        rootRecord = value.rootRecord.map { CKRecord($0, of: value.participant.userRecordName) }
    }

    /// The container of the share.
    open var containerIdentifier: String { value.containerIdentifier }
    /// The share.
    public let share: CKShare
    /// The ID of the shared record, which a share of a zone does not have.
    open var hierarchicalRootRecordID: CKRecord.ID? { value.hierarchicalRootRecordID.map(CKRecord.ID.init) }
    /// The ID of the shared record, or of the share of a whole zone.
    @available(*, deprecated, renamed: "hierarchicalRootRecordID")
    open var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }
    /// The shared record, if ``CKFetchShareMetadataOperation/shouldFetchRootRecord`` was set.
    public let rootRecord: CKRecord?
    /// The part that the user has, or will have after accepting.
    open var participantRole: CKShare.ParticipantRole { CKShare.ParticipantRole(value.participantRole) }
    /// The older name of ``participantRole``.
    @available(*, deprecated, renamed: "participantRole")
    open var participantType: CKShare.ParticipantType { CKShare.ParticipantType(participantRole) }
    /// The state of the invitation.
    open var participantStatus: CKShare.ParticipantAcceptanceStatus {
        CKShare.ParticipantAcceptanceStatus(value.participantStatus)
    }
    /// The permission that the user has, or will have after accepting.
    open var participantPermission: CKShare.ParticipantPermission {
        CKShare.ParticipantPermission(value.participantPermission)
    }
    /// The owner of the share.
    open var ownerIdentity: CKUserIdentity { share.owner.userIdentity }

    private struct Content: Codable {
        let containerIdentifier: String
        let share: Record
        let participant: ArchivedParticipant
        let rootRecord: Record?
        let shortGUID: String?
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a description from an archive.
    public required convenience init?(coder: NSCoder) {
        guard let content: Content = coder.decodeContent(), let share = try? Share(content.share) else { return nil }
        var metadata = Share.Metadata(
            containerIdentifier: content.containerIdentifier, share: share, participant: content.participant.value,
            rootRecord: content.rootRecord)
        metadata.shortGUID = content.shortGUID
        self.init(metadata)
    }

    /// Writes the description into an archive.
    open func encode(with coder: NSCoder) {
        coder.encodeContent(
            Content(
                containerIdentifier: value.containerIdentifier, share: value.share.record,
                participant: ArchivedParticipant(value.participant), rootRecord: value.rootRecord,
                shortGUID: value.shortGUID))
    }

    /// Returns the description itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another object is an equal description.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKShareMetadata)?.value == value }

    /// A hash of the share's ID.
    open override var hash: Int { value.share.recordID.hashValue }
}
