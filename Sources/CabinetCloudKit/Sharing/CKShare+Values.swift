import Cabinet

extension CKShare {
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

        /// An administrator is an invited user, because this type has no name for one.
        init(_ role: ParticipantRole) {
            self = role == .administrator ? .privateUser : Self(rawValue: role.rawValue) ?? .unknown
        }
    }

    /// The permissions of a participant, with CloudKit's numbers.
    public enum ParticipantPermission: Int, Sendable, Hashable {
        /// It is unknown.
        case unknown = 0
        /// Nothing.
        case none = 1
        /// Read.
        case readOnly = 2
        /// Read and write.
        case readWrite = 3

        init(_ value: Share.ParticipantPermission) { self = Self(rawValue: value.rawValue) ?? .unknown }

        /// The permission as Cabinet has it.
        var value: Share.ParticipantPermission { Share.ParticipantPermission(rawValue: rawValue) ?? .unknown }
    }

    /// The part that a user has in a share, with CloudKit's numbers.
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

        init(_ value: Share.ParticipantRole) { self = Self(rawValue: value.rawValue) ?? .unknown }

        /// The role as Cabinet has it.
        var value: Share.ParticipantRole { Share.ParticipantRole(rawValue: rawValue) ?? .unknown }
    }

    /// The state of an invitation, with CloudKit's numbers.
    public enum ParticipantAcceptanceStatus: Int, Sendable, Hashable {
        /// It is unknown.
        case unknown = 0
        /// The user has not answered.
        case pending = 1
        /// The user has accepted.
        case accepted = 2
        /// The user was removed.
        case removed = 3

        init(_ value: Share.ParticipantAcceptanceStatus) { self = Self(rawValue: value.rawValue) ?? .unknown }
    }
}

/// A participant in an archive.
struct ArchivedParticipant: Codable {
    private let participantID: String
    private let userRecordName: String
    private let role: Int
    private let permission: Int
    private let acceptanceStatus: Int
    private let oneTimeShortGUID: String?
    private let dateAddedToShare: Date?
    private let isApprovedRequester: Bool?

    init(_ value: Share.Participant) {
        participantID = value.participantID
        userRecordName = value.userRecordName
        role = value.role.rawValue
        permission = value.permission.rawValue
        acceptanceStatus = value.acceptanceStatus.rawValue
        oneTimeShortGUID = value.oneTimeShortGUID
        dateAddedToShare = value.dateAddedToShare
        isApprovedRequester = value.isApprovedRequester
    }

    /// The participant as Cabinet has it.
    var value: Share.Participant {
        Share.Participant(
            participantID: participantID, userRecordName: userRecordName,
            role: Share.ParticipantRole(rawValue: role) ?? .unknown,
            permission: Share.ParticipantPermission(rawValue: permission) ?? .unknown,
            acceptanceStatus: Share.ParticipantAcceptanceStatus(rawValue: acceptanceStatus) ?? .unknown,
            oneTimeShortGUID: oneTimeShortGUID, dateAddedToShare: dateAddedToShare,
            isApprovedRequester: isApprovedRequester ?? false)
    }
}

extension Share.Participant {
    /// The owner of a share that was not saved.
    static var newOwner: Share.Participant {
        Share.Participant(
            participantID: CKCurrentUserDefaultName, userRecordName: CKCurrentUserDefaultName, role: .owner,
            permission: .readWrite, acceptanceStatus: .accepted)
    }
}
