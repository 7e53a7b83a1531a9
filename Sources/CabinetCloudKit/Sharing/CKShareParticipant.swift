import Cabinet
public import Foundation
import Synchronization

/// The older name of the permissions of a participant.
public typealias CKShare_Participant_Permission = CKShare.ParticipantPermission
/// The older name of the parts that a user has in a share.
public typealias CKShare_Participant_Role = CKShare.ParticipantRole
/// The older name of the states of an invitation.
public typealias CKShare_Participant_AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
/// The oldest name of the parts that a user has in a share.
public typealias CKShare_Participant_ParticipantType = CKShare.ParticipantType

/// A user who takes part in a share. CloudKit's `CKShare.Participant`.
///
/// A participant of a share is a view into the share: it shows the current state, and changes the share.
// Unchecked, and safe: the only stored properties are a constant and a lock.
open class CKShareParticipant: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
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

    private struct State: Sendable {
        /// The participant outside of a share, or at the time when it was read.
        var own: Share.Participant
        /// The share that the participant is in.
        var share: CKShare?
    }

    private let state: Mutex<State>
    private let lookupInfo: CKUserIdentity.LookupInfo?

    init(_ value: Share.Participant, in share: CKShare? = nil, lookupInfo: CKUserIdentity.LookupInfo? = nil) {
        state = Mutex(State(own: value, share: share))
        self.lookupInfo = lookupInfo
    }

    /// The participant as Cabinet has it.
    var value: Share.Participant {
        let state = state.withLock { $0 }
        return state.share?.content?.current(state.own) ?? state.own
    }

    /// Makes the participant a view into another share, or into none.
    func move(to share: CKShare?) {
        let value = value
        state.withLock { $0 = State(own: value, share: share) }
    }

    private func update(_ body: (inout Share.Participant) -> Void) {
        var value = value
        body(&value)
        let changed = value
        let share = state.withLock { state in
            state.own = changed
            return state.share
        }
        share?.update { share in
            if share.current(changed) != nil { share.addParticipant(changed) }
        }
    }

    /// Creates a participant to add to a share, which the first user becomes that opens its URL.
    ///
    /// Save the share, and send that user ``CKShare/oneTimeURL(for:)``.
    open class func oneTimeURLParticipant() -> CKShareParticipant { CKShareParticipant(.oneTimeURLParticipant()) }

    /// The user; without an ID and an address before a user has opened the participant's one-time URL.
    open var userIdentity: CKUserIdentity {
        let value = value
        let id = value.userRecordName.isEmpty ? nil : CKRecord.ID(value.userRecordID)
        return CKUserIdentity(userRecordID: id, lookupInfo: lookupInfo)
    }

    /// The part that the user has: an invited user, or an administrator.
    open var role: CKShare.ParticipantRole {
        get { CKShare.ParticipantRole(value.role) }
        set { update { $0.role = newValue.value } }
    }

    /// The older name of ``role``.
    @available(*, deprecated, renamed: "role")
    open var type: CKShare.ParticipantType {
        get { CKShare.ParticipantType(role) }
        set { role = CKShare.ParticipantRole(rawValue: newValue.rawValue) ?? .unknown }
    }

    /// The permission of the user.
    open var permission: CKShare.ParticipantPermission {
        get { CKShare.ParticipantPermission(value.permission) }
        set { update { $0.permission = newValue.value } }
    }

    /// The state of the invitation, which the service alone changes.
    open var acceptanceStatus: CKShare.ParticipantAcceptanceStatus {
        CKShare.ParticipantAcceptanceStatus(value.acceptanceStatus)
    }

    /// The time at which the participant was added; `nil` before the share is saved.
    open var dateAddedToShare: Date? { value.dateAddedToShare }

    /// Whether the participant had asked to take part when it was added.
    open var isApprovedRequester: Bool { value.isApprovedRequester }

    /// The identity of the participant in the share.
    open var participantID: ID { value.participantID }

    private static let lookupInfoKey = "CabinetLookupInfo"

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a participant from an archive.
    public required init?(coder: NSCoder) {
        guard let archived: ArchivedParticipant = coder.decodeContent() else { return nil }
        state = Mutex(State(own: archived.value))
        lookupInfo =
            coder.containsValue(forKey: Self.lookupInfoKey)
            ? coder.decodeObject(of: CKUserIdentity.LookupInfo.self, forKey: Self.lookupInfoKey) : nil
    }

    /// Writes the participant into an archive, without its share.
    open func encode(with coder: NSCoder) {
        coder.encodeContent(ArchivedParticipant(value))
        if let lookupInfo { coder.encode(lookupInfo, forKey: Self.lookupInfoKey) }
    }

    /// Returns the same participant outside of a share.
    open func copy(with zone: NSZone? = nil) -> Any { CKShareParticipant(value, lookupInfo: lookupInfo) }

    /// Returns a Boolean value that indicates whether another object is the same person.
    ///
    /// Participants are equal if they have the same identity in the share, the same user, or the same address. Their roles,
    /// permissions and states are not compared.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKShareParticipant else { return false }
        let (left, right) = (value, other.value)
        return left.participantID == right.participantID
            // A participant of a one-time URL that was not opened has no name.
            || !left.userRecordName.isEmpty && left.userRecordName == right.userRecordName
            || lookupInfo != nil && lookupInfo == other.lookupInfo
    }

    /// The same number for all participants: equal ones may agree in the identity, the user or the address alone.
    open override var hash: Int { 0 }

    /// The user, the role and the state, for logs.
    open override var description: String {
        let value = value
        return
            "<CKShareParticipant: \(value.userRecordName), \(value.role), \(value.permission), \(value.acceptanceStatus)>"
    }
}
