public import Foundation

extension Share {
    /// A user's part in a share: CloudKit's `CKShare.Participant`.
    public struct Participant: Sendable, Hashable {
        /// The identifier of the participant in its share.
        public let participantID: String

        /// The record name of the user; empty for a participant whose one-time URL no user has opened yet.
        public let userRecordName: String

        /// The role; the owner and administrators change the share.
        public var role: ParticipantRole

        /// The user's permission for all records of the share.
        public var permission: ParticipantPermission

        /// The state of the user in the share, which the service alone changes.
        public internal(set) var acceptanceStatus: ParticipantAcceptanceStatus

        /// The time of the save that added the participant, or at which a public user accepted; `nil` in a share that was not saved.
        public internal(set) var dateAddedToShare: Date?

        /// Whether the participant had asked to take part when it was added.
        public internal(set) var isApprovedRequester = false

        /// The last part of the participant's own URL; empty where it is not known, and `nil` for a participant that is added by name.
        package var oneTimeShortGUID: String?

        /// The identifier of the acceptance, which differs after the user has left and accepted again; `nil` before.
        var acceptanceID: String?

        /// Creates a participant to add to a share.
        ///
        /// Nothing reveals whether the user exists.
        ///
        /// - Parameters:
        ///   - userRecordName: The record name of the user.
        ///   - permission: The user's permission for all records of the share.
        ///   - role: ``Share/ParticipantRole/privateUser`` or ``Share/ParticipantRole/administrator``.
        public init(
            userRecordName: String, permission: ParticipantPermission = .readOnly,
            role: ParticipantRole = .privateUser
        ) {
            self.init(
                participantID: RecordID.uniqueRecordName(), userRecordName: userRecordName, role: role,
                permission: permission, acceptanceStatus: .pending)
        }

        /// Creates a participant without a user, to add to a share: the first user that opens its URL becomes the participant.
        ///
        /// ```swift
        /// let guest = Share.Participant.oneTimeURLParticipant()
        /// share.addParticipant(guest)
        /// share = try await database.save(share)
        /// let url = share.oneTimeURL(for: guest.participantID)
        /// ```
        ///
        /// - Returns: A participant that may read.
        public static func oneTimeURLParticipant() -> Participant {
            Participant(
                participantID: RecordID.uniqueRecordName(), userRecordName: "", role: .privateUser,
                permission: .readOnly, acceptanceStatus: .pending, oneTimeShortGUID: "")
        }

        /// Creates a participant from its parts.
        package init(
            participantID: String, userRecordName: String, role: ParticipantRole, permission: ParticipantPermission,
            acceptanceStatus: ParticipantAcceptanceStatus, acceptanceID: String? = nil, oneTimeShortGUID: String? = nil,
            dateAddedToShare: Date? = nil, isApprovedRequester: Bool = false
        ) {
            self.oneTimeShortGUID = oneTimeShortGUID
            self.dateAddedToShare = dateAddedToShare
            self.isApprovedRequester = isApprovedRequester
            self.participantID = participantID
            self.userRecordName = userRecordName
            self.role = role
            self.permission = permission
            self.acceptanceStatus = acceptanceStatus
            self.acceptanceID = acceptanceID
        }

        /// The ID of the user's own record.
        public var userRecordID: RecordID { RecordID(recordName: userRecordName) }
    }

    /// The role of a participant.
    public enum ParticipantRole: Int, Sendable, Hashable, CaseIterable {
        /// The role is unknown to this version.
        case unknown = 0
        /// The user whose records are shared.
        case owner = 1
        /// A user that also changes the share.
        case administrator = 2
        /// A user that the owner or an administrator has added.
        case privateUser = 3
        /// A user that has opened the URL of a public share.
        case publicUser = 4
    }

    /// The permission of a participant.
    public enum ParticipantPermission: Int, Sendable, Hashable, CaseIterable {
        /// The permission is unknown to this version.
        case unknown = 0
        /// The user may not read the records.
        case none = 1
        /// The user may read the records.
        case readOnly = 2
        /// The user may read, save and delete the records.
        case readWrite = 3
    }

    /// The state of a participant.
    public enum ParticipantAcceptanceStatus: Int, Sendable, Hashable, CaseIterable {
        /// The state is unknown to this version.
        case unknown = 0
        /// The user has not accepted the share.
        case pending = 1
        /// The user has accepted the share, and sees its records.
        case accepted = 2
        /// The user has left the share, or was removed.
        case removed = 3
    }
}

extension Share.Participant {
    /// Whether no user has opened the participant's one-time URL yet.
    package var isUnclaimed: Bool { oneTimeShortGUID != nil && userRecordName.isEmpty }

    /// The text by which a share has each participant once: no user's name begins with a space.
    var identity: String { isUnclaimed ? " \(participantID)" : userRecordName }

    /// Whether another participant is this one, maybe from before a user has opened its one-time URL.
    func isCurrent(_ other: Share.Participant) -> Bool {
        identity.hasSameScalars(as: other.identity) || oneTimeShortGUID != nil && participantID == other.participantID
    }

    /// Returns the participant that a user becomes by opening its one-time URL.
    func claimed(by user: String) -> Share.Participant {
        Share.Participant(
            participantID: participantID, userRecordName: user, role: role, permission: permission,
            acceptanceStatus: acceptanceStatus, acceptanceID: acceptanceID, oneTimeShortGUID: oneTimeShortGUID,
            dateAddedToShare: dateAddedToShare, isApprovedRequester: isApprovedRequester)
    }
}
