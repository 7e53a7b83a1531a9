import Cabinet
public import Foundation

/// A user who takes part in a share. CloudKit's `CKShare.Participant`.
// Unchecked, and safe as far as CloudKit's own is: the settings are set before the share is saved.
open class CKShareParticipant: NSObject, NSSecureCoding, @unchecked Sendable {
    /// The identity of a participant.
    public typealias ID = String
    /// The older name of the permissions of a participant.
    public typealias Permission = CKShare.ParticipantPermission
    /// The older name of the parts that a user has in a share.
    public typealias Role = CKShare.ParticipantRole
    /// The older name of the states of an invitation.
    public typealias AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
    /// The oldest name of the parts that a user has in a share.
    public typealias ParticipantType = CKShare.ParticipantType

    /// The user.
    open var userIdentity: CKUserIdentity { CKUserIdentity() }
    /// The part that the user has.
    open var role: CKShare.ParticipantRole
    /// The permission of the user.
    open var permission: CKShare.ParticipantPermission = .readWrite
    /// The state of the invitation.
    open var acceptanceStatus: CKShare.ParticipantAcceptanceStatus { role == .owner ? .accepted : .pending }
    /// The identity of the participant in the share.
    public let participantID: ID

    private struct Content: Codable {
        let id: ID
        let role: Int
        let permission: Int
    }

    init(role: CKShare.ParticipantRole) {
        self.role = role
        participantID = UUID().uuidString
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a participant from an archive.
    public required init?(coder: NSCoder) {
        guard let content: Content = coder.decodeContent() else { return nil }
        participantID = content.id
        role = CKShare.ParticipantRole(rawValue: content.role) ?? .unknown
        permission = CKShare.ParticipantPermission(rawValue: content.permission) ?? .unknown
    }

    /// Writes the participant into an archive.
    open func encode(with coder: NSCoder) {
        coder.encodeContent(Content(id: participantID, role: role.rawValue, permission: permission.rawValue))
    }
}

/// A user, as other users see them.
// Unchecked, and safe: the object has no variables.
open class CKUserIdentity: NSObject, @unchecked Sendable {
    /// The address with which a user is looked up.
    public typealias LookupInfo = CKUserIdentityLookupInfo

    /// The address with which the user was found.
    open var lookupInfo: LookupInfo? { nil }
    /// The user's name, which is unknown.
    open var nameComponents: PersonNameComponents? { nil }
    /// The ID of the user's record.
    open var userRecordID: CKRecord.ID? { nil }
    /// Whether the user has an account.
    open var hasiCloudAccount: Bool { false }
}

/// The address with which a user is looked up. CloudKit's `CKUserIdentity.LookupInfo`.
// Unchecked, and safe: all properties are constants.
open class CKUserIdentityLookupInfo: NSObject, NSSecureCoding, @unchecked Sendable {
    /// The user's email address.
    public let emailAddress: String?
    /// The user's phone number.
    public let phoneNumber: String?
    /// The ID of the user's record.
    public let userRecordID: CKRecord.ID?

    /// Creates an address from an email address.
    public init(emailAddress: String) {
        self.emailAddress = emailAddress
        phoneNumber = nil
        userRecordID = nil
    }

    /// Creates an address from a phone number.
    public init(phoneNumber: String) {
        emailAddress = nil
        self.phoneNumber = phoneNumber
        userRecordID = nil
    }

    /// Creates an address from the ID of a user's record.
    public init(userRecordID: CKRecord.ID) {
        emailAddress = nil
        phoneNumber = nil
        self.userRecordID = userRecordID
    }

    private struct Content: Codable {
        let emailAddress: String?
        let phoneNumber: String?
        let userRecordID: RecordID?
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads an address from an archive.
    public required init?(coder: NSCoder) {
        guard let content: Content = coder.decodeContent() else { return nil }
        emailAddress = content.emailAddress
        phoneNumber = content.phoneNumber
        userRecordID = content.userRecordID.map { CKRecord.ID($0) }
    }

    /// Writes the address into an archive.
    open func encode(with coder: NSCoder) {
        coder.encodeContent(
            Content(emailAddress: emailAddress, phoneNumber: phoneNumber, userRecordID: userRecordID?.value))
    }
}

/// The description of a share that a user was invited to. CloudKit's `CKShare.Metadata`.
///
/// Cabinet has no shares, so no program receives one.
// Unchecked, and safe: all properties are constants.
open class CKShareMetadata: NSObject, NSSecureCoding, @unchecked Sendable {
    /// The container of the share.
    public let containerIdentifier: String
    /// The share.
    public let share: CKShare
    /// The ID of the shared record.
    public let hierarchicalRootRecordID: CKRecord.ID?
    /// The shared record.
    open var rootRecord: CKRecord? { nil }
    /// The part that the user has.
    open var participantRole: CKShare.ParticipantRole { .unknown }
    /// The state of the invitation.
    open var participantStatus: CKShare.ParticipantAcceptanceStatus { .unknown }
    /// The permission of the user.
    open var participantPermission: CKShare.ParticipantPermission { .unknown }
    /// The owner of the share.
    open var ownerIdentity: CKUserIdentity { CKUserIdentity() }

    init(containerIdentifier: String, share: CKShare, hierarchicalRootRecordID: CKRecord.ID?) {
        self.containerIdentifier = containerIdentifier
        self.share = share
        self.hierarchicalRootRecordID = hierarchicalRootRecordID
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a description from an archive.
    public required init?(coder: NSCoder) {
        guard let container: String = coder.decodeContent(), coder.containsValue(forKey: "share"),
            let share = coder.decodeObject(of: CKShare.self, forKey: "share")
        else { return nil }
        containerIdentifier = container
        self.share = share
        let root: RecordID? = coder.decodeContent(forKey: "root")
        hierarchicalRootRecordID = root.map { CKRecord.ID($0) }
    }

    /// Writes the description into an archive.
    open func encode(with coder: NSCoder) {
        coder.encodeContent(containerIdentifier)
        coder.encode(share, forKey: "share")
        if let root = hierarchicalRootRecordID?.value { coder.encodeContent(root, forKey: "root") }
    }
}
