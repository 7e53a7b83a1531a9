extension Share {
    /// A user's part in a share: CloudKit's `CKShare.Participant`.
    public struct Participant: Sendable, Hashable {
        /// The identifier of the participant in its share.
        public let participantID: String

        /// The record name of the user.
        public let userRecordName: String

        /// The role; the owner and administrators change the share.
        public var role: ParticipantRole

        /// The user's permission for all records of the share.
        public var permission: ParticipantPermission

        /// The state of the user in the share, which the service alone changes.
        public internal(set) var acceptanceStatus: ParticipantAcceptanceStatus

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

        /// Creates a participant from its parts.
        package init(
            participantID: String, userRecordName: String, role: ParticipantRole, permission: ParticipantPermission,
            acceptanceStatus: ParticipantAcceptanceStatus, acceptanceID: String? = nil
        ) {
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

/// A participant is stored as one text: the version of the form, the numbers of role, permission and state, the two identifiers, and
/// the user's name, which may have spaces.
extension Share.Participant {
    private static let version = "1"
    private static let noAcceptance = "-"

    /// The largest number of bytes of an identifier.
    static let maximumIDLength = 64

    /// The stored form.
    package var text: String {
        "\(Self.version) \(role.rawValue) \(permission.rawValue) \(acceptanceStatus.rawValue) "
            + "\(acceptanceID ?? Self.noAcceptance) \(participantID) \(userRecordName)"
    }

    /// Reads the stored form; `nil` if the text is not one.
    init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 7, parts[0] == Self.version, let role = Int(parts[1]), let permission = Int(parts[2]),
            let status = Int(parts[3]), Self.isIdentifier(parts[4]), Self.isIdentifier(parts[5]),
            NameGrammar.userRecordName.allows(parts[6])
        else { return nil }
        self.init(
            participantID: parts[5], userRecordName: parts[6], role: Share.ParticipantRole(rawValue: role) ?? .unknown,
            permission: Share.ParticipantPermission(rawValue: permission) ?? .unknown,
            acceptanceStatus: Share.ParticipantAcceptanceStatus(rawValue: status) ?? .unknown,
            acceptanceID: parts[4] == Self.noAcceptance ? nil : parts[4])
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count <= maximumIDLength && NameGrammar.printable.allows(text)
    }
}
