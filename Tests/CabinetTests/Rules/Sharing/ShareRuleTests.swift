import Foundation
import Testing

@testable import Cabinet

@Suite("The rules of saving a share")
struct ShareRuleTests {
    private static let now = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
    private static let id = ShareRule.shareID(of: RecordZone.ID(zoneName: "Lists"))

    private static func content(
        _ participants: [Share.Participant] = [], public permission: Share.ParticipantPermission = .none
    ) -> ShareContent {
        var content = ShareContent()
        content.participants = participants
        content.publicPermission = permission
        return content
    }

    private static func saved(_ sent: ShareContent, over stored: ShareContent? = nil) throws -> ShareContent {
        try ShareRule.saved(sent, replacing: stored, owner: "_anna", urlText: "guid", id, now: Self.now)
    }

    private static func accepted(_ user: String, _ content: ShareContent) throws -> ShareContent {
        try ShareRule.accepted(by: user, content, acceptanceID: "a-\(user)", id, now: Self.now)
    }

    private static func names(_ content: ShareContent) -> [String] { content.participants.map(\.userRecordName) }

    @Test("The owner comes first, has accepted, and cannot be changed or removed")
    func owner() throws {
        var share = try Self.saved(Self.content([Share.Participant(userRecordName: "_ben")]))
        #expect(Self.names(share) == ["_anna", "_ben"])
        let owner = try #require(share.participants.first)
        #expect(owner.role == .owner && owner.permission == .readWrite && owner.acceptanceStatus == .accepted)
        share.participants[0].permission = .none
        share.participants[0].role = .privateUser
        #expect(try Self.saved(share, over: Self.saved(Self.content())).participants[0].role == .owner)
        #expect(try Self.names(Self.saved(Self.content(), over: share)) == ["_anna"])
    }

    @Test("A client cannot accept for others: the state and the acceptance are the stored ones")
    func acceptance() throws {
        var forged = Share.Participant(userRecordName: "_ben", permission: .readWrite)
        forged.acceptanceStatus = .accepted
        forged.acceptanceID = "forged"
        let new = try Self.saved(Self.content([forged]))
        #expect(new.participant("_ben")?.acceptanceStatus == .pending)
        #expect(new.participant("_ben")?.acceptanceID == nil)
        var accepted = try Self.accepted("_ben", new)
        #expect(accepted.participant("_ben")?.acceptanceID == "a-_ben")
        accepted.participants[1].acceptanceStatus = .pending
        accepted.participants[1].permission = .readOnly
        let changed = try Self.saved(accepted, over: Self.accepted("_ben", new)).participant("_ben")
        #expect(changed?.acceptanceStatus == .accepted && changed?.permission == .readOnly)
    }

    @Test("Participants are added to a private share only, with a role and a permission that one may give")
    func adding() throws {
        func code(
            _ participant: Share.Participant, _ permission: Share.ParticipantPermission = .none
        ) -> CabinetError.Code? {
            do {
                _ = try Self.saved(Self.content([participant], public: permission))
                return nil
            } catch {
                return (error as? CabinetError)?.code
            }
        }
        #expect(code(Share.Participant(userRecordName: "_ben")) == nil)
        #expect(code(Share.Participant(userRecordName: "_ben", role: .administrator)) == nil)
        #expect(code(Share.Participant(userRecordName: "_ben"), .readOnly) == .invalidArguments)
        for role in [Share.ParticipantRole.owner, .publicUser, .unknown] {
            #expect(code(Share.Participant(userRecordName: "_ben", role: role)) == .invalidArguments)
        }
        #expect(code(Share.Participant(userRecordName: "_ben", permission: .unknown)) == .invalidArguments)
    }

    @Test("Opening a private share to all removes those that have not accepted")
    func opening() throws {
        let both = try Self.saved(
            Self.content([Share.Participant(userRecordName: "_ben"), Share.Participant(userRecordName: "_cleo")]))
        var stored = try Self.accepted("_ben", both)
        stored.publicPermission = .readOnly
        let opened = try Self.saved(stored, over: Self.accepted("_ben", both))
        #expect(Self.names(opened) == ["_anna", "_ben"])
        let joined = try Self.accepted("_dora", opened)
        #expect(joined.participant("_dora")?.role == .publicUser)
        #expect(joined.participant("_dora")?.permission == .readOnly)
        var wider = joined
        wider.publicPermission = .readWrite
        #expect(try Self.saved(wider, over: joined).participant("_dora")?.permission == .readWrite)
    }

    @Test("Closing a public share removes all participants, and keeps those that the same save adds")
    func closing() throws {
        let stored = try Self.accepted("_dora", Self.saved(Self.content(public: .readWrite)))
        var sent = stored
        sent.publicPermission = .none
        sent.participants.append(Share.Participant(userRecordName: "_ben"))
        #expect(try Self.names(Self.saved(sent, over: stored)) == ["_anna", "_ben"])
        // A user that has joined by the public URL is invited.
        sent.participants.removeAll { $0.userRecordName == "_dora" }
        sent.participants.append(Share.Participant(userRecordName: "_dora"))
        let closed = try Self.saved(sent, over: stored)
        #expect(Self.names(closed) == ["_anna", "_ben", "_dora"])
        #expect(closed.participant("_dora")?.role == .privateUser)
        #expect(closed.participant("_dora")?.acceptanceStatus == .pending)
    }

    @Test("A share has at most 100 participants beside the owner")
    func limit() throws {
        func content(_ count: Int) -> ShareContent {
            Self.content((0..<count).map { Share.Participant(userRecordName: "_user\($0)") })
        }
        #expect(try Self.saved(content(100)).participants.count == 101)
        let error = #expect(throws: CabinetError.self) { try Self.saved(content(101)) }
        #expect(error?.code == .tooManyParticipants)
        var open = Self.content(public: .readOnly)
        for number in 0..<100 { open = try Self.accepted("_user\(number)", Self.saved(open, over: open)) }
        let full = #expect(throws: CabinetError.self) { try Self.accepted("_late", open) }
        #expect(full?.code == .tooManyParticipants)
    }

    @Test("A user that was not invited, or has no permission, learns nothing; accepting twice changes nothing")
    func accepting() throws {
        let share = try Self.saved(
            Self.content([
                Share.Participant(userRecordName: "_ben"),
                Share.Participant(userRecordName: "_none", permission: .none),
            ]))
        for user in ["_nobody", "_none"] {
            let error = #expect(throws: CabinetError.self) { try Self.accepted(user, share) }
            #expect(error?.code == .permissionFailure)
        }
        let once = try Self.accepted("_ben", share)
        #expect(try ShareRule.accepted(by: "_ben", once, acceptanceID: "other", Self.id, now: .now) == once)
        #expect(ShareRule.left(by: "_ben", once).participant("_ben") == nil)
        #expect(ShareRule.left(by: "_anna", once) == once)
    }

    @Test("Users of a public share see the owner and themselves")
    func visibility() throws {
        var content = try Self.saved(Self.content(public: .readOnly))
        for user in ["_ben", "_cleo"] { content = try Self.accepted(user, content) }
        #expect(Self.names(content.visible(to: "_ben")) == ["_anna", "_ben"])
        #expect(Self.names(content.visible(to: "_anna")).count == 3)
    }

    @Test("A save and an acceptance alone say when a participant was added, and whether it had asked")
    func additions() throws {
        var forged = Share.Participant(userRecordName: "_ben")
        (forged.dateAddedToShare, forged.isApprovedRequester) = (.distantPast, true)
        var content = Self.content([forged])
        content.allowsAccessRequests = true
        content = try ShareRule.asked(by: "_dora", Self.saved(content), Self.id)
        let sent = content.participants + [Share.Participant(userRecordName: "_dora")]
        let later = try ShareRule.saved(
            Self.content(sent), replacing: content, owner: "_anna", urlText: "guid", Self.id, now: .distantFuture)
        #expect(later.participants.map(\.dateAddedToShare) == [Self.now, Self.now, .distantFuture])
        #expect(later.participants.map(\.isApprovedRequester) == [false, false, true])
        let open = try Self.accepted("_ben", Self.saved(Self.content(public: .readOnly)))
        #expect(open.participant("_ben")?.dateAddedToShare == Self.now)
    }
}
