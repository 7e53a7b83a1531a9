import Foundation
import Testing

@testable import Cabinet

@Suite("A share and its stored form")
struct ShareTests {
    private static let zoneID = RecordZone.ID(zoneName: "Lists")

    @Test("A new share has the name of zone-wide shares, and its parts are fields of its record")
    func fields() throws {
        var share = Share(recordZoneID: Self.zoneID)
        #expect(share.recordID == RecordID(recordName: "cloudkit.zoneshare", zoneID: Self.zoneID))
        #expect(share.record.recordType == "cloudkit.share")
        #expect(share.publicPermission == .none && share.url == nil && share.owner == nil)
        share[Share.SystemFieldKey.title] = "Groceries"
        share["color"] = 3
        share.publicPermission = .readWrite
        share.addParticipant(Share.Participant(userRecordName: "_ben doe", permission: .readWrite))
        share.addParticipant(Share.Participant(userRecordName: "_ben doe", permission: .readOnly, role: .administrator))
        let read = try Share(share.record)
        #expect(read == share)
        #expect(read.participants.map(\.userRecordName) == ["_ben doe"])
        #expect(read.participant(for: RecordID(recordName: "_ben doe"))?.role == .administrator)
        #expect(read[Share.SystemFieldKey.title] as? String == "Groceries" && read["color"] == 3)
        share.removeParticipant(read.participants[0])
        #expect(try Share(share.record).participants.isEmpty)
    }

    @Test("A participant's text is read back, and a damaged one is refused without a trap")
    func texts() {
        var participant = Share.Participant(userRecordName: "_ben doe", permission: .readWrite)
        participant.acceptanceStatus = .accepted
        participant.acceptanceID = "a"
        #expect(Share.Participant(text: participant.text) == participant)
        participant.dateAddedToShare = Date(timeIntervalSinceReferenceDate: -0.1)
        for isApproved in [false, true] {
            participant.isApprovedRequester = isApproved
            #expect(Share.Participant(text: participant.text) == participant, "\(participant.text)")
        }
        let texts = [
            "", " ", "1", "1 3 2 1 -", "1 3 2 1 - id", "2 3 2 1 - id _ben", "1 x 2 1 - id _ben", "1 3 2 1 - id ben",
            "1 3 2 1  id _ben", "1 3 2 1 - \u{e9} _ben", "1 99999999999999999999 2 1 - id _ben",
            "3 3 2 1 - id - nan _ben", "3 3 2 1 - id - 1++ _ben", "3 3 2 1 - id - + _ben", "3 3 2 1 - id - 1 ",
            "1 3 2 1 - \(String(repeating: "i", count: 65)) _ben",
        ]
        for text in texts { #expect(Share.Participant(text: text) == nil, "\(text)") }
        #expect(Share.Participant(text: "1 9 9 9 - id _ben")?.role == .unknown)
    }

    @Test("A record with a damaged part throws instead of becoming a share")
    func damage() throws {
        let text = Share.Participant(userRecordName: "_ben").text
        let values: [(Record.FieldKey, FieldValue)] = [
            (Share.SystemFieldKey.participants, .string(text)),
            (Share.SystemFieldKey.participants, .list(.string(["?"]))),
            (Share.SystemFieldKey.participants, .list(.string([text, text]))),
            (Share.SystemFieldKey.participants, .list(.string(Array(repeating: text, count: 1000)))),
            (Share.SystemFieldKey.publicPermission, .int64(.max)),
            (Share.SystemFieldKey.publicPermission, .string("2")),
        ]
        for (key, value) in values {
            var record = Share(recordZoneID: Self.zoneID).record
            record.setFieldValue(value, forKey: key)
            #expect(throws: CabinetError.self) { try Share(record) }
        }
        #expect(throws: CabinetError.self) { try Share(Record(recordType: "Items")) }
    }

    @Test("URLs have 128 random bits, and are recognized under any host")
    func urls() throws {
        let url = ShareURL.random()
        #expect(url != ShareURL.random())
        #expect(url.shortGUID.utf8.count == 22 && ShareURL(shortGUID: url.shortGUID) == url)
        // Stores have such hashes.
        let zero = ShareURL(shortGUID: String(repeating: "A", count: 22))
        #expect(zero?.hash == "RzVi6Wbgoc9jCEaHfJf4tWgxaX/+rDzmmH15ATW0p1Q=")
        #expect(url.hash != ShareURL.random().hash && !url.hash.contains(url.shortGUID))
        for text in ["", "a", String(repeating: "a", count: 21), String(repeating: "é", count: 11)] {
            #expect(ShareURL(shortGUID: text) == nil)
        }
    }

    @Test("A zone of the shared database leads to its owner's private database, and no other name leads anywhere")
    func routes() throws {
        let zoneID = RecordZone.ID(zoneName: "Lists", ownerName: "_anna")
        let route = try #require(ZoneRoute(toShared: zoneID, for: "_ben"))
        #expect(route.database == .private(owner: "_anna"))
        #expect(route.ownerRule(of: "_ben").canonical(zoneID) == Self.zoneID)
        #expect(route.callerID(Self.zoneID) == zoneID)
        let other = RecordZone.ID(zoneName: "Lists", ownerName: "_cleo")
        #expect(route.callerID(other) == other)
        for id in [
            RecordZone.ID.default, Self.zoneID, RecordZone.ID(zoneName: "Lists", ownerName: "_ben"),
            RecordZone.ID(ownerName: "_anna"), RecordZone.ID(zoneName: "Lists", ownerName: "anna"),
            RecordZone.ID(zoneName: "Lists", ownerName: ""),
        ] {
            #expect(ZoneRoute(toShared: id, for: "_ben") == nil, "\(id)")
        }
    }

    @Test("Rights are those of participants that have accepted, and differ after each acceptance")
    func access() {
        func access(
            _ role: Share.ParticipantRole, _ permission: Share.ParticipantPermission,
            _ status: Share.ParticipantAcceptanceStatus, _ acceptanceID: String = "a"
        ) -> ShareAccess {
            let participant = Share.Participant(
                participantID: "p", userRecordName: "_ben", role: role, permission: permission,
                acceptanceStatus: status, acceptanceID: acceptanceID)
            var access = ShareAccess()
            access.add(participant, by: ShareRule.shareID(of: Self.zoneID))
            return access
        }
        let id = RecordID(recordName: "milk", zoneID: Self.zoneID)
        func record(_ id: RecordID, in shareName: String? = nil) -> StoredRecord {
            var record = StoredRecord.blank
            record.recordID = id
            record.setShare(shareName, isRoot: false)
            return record
        }
        let share = ShareRule.shareID(of: Self.zoneID)
        let reader = access(.privateUser, .readOnly, .accepted)
        #expect(reader.violation(of: .read, for: record(id)) == nil)
        #expect(reader.violation(of: .write, for: record(id))?.code == .permissionFailure)
        #expect(reader.violation(of: .read, for: record("milk"))?.code == .zoneNotFound)
        #expect(access(.publicUser, .readWrite, .accepted).violation(of: .create, inZoneOf: id) == nil)
        for status in [Share.ParticipantAcceptanceStatus.pending, .removed, .unknown] {
            #expect(
                access(.privateUser, .readWrite, status).violation(of: .read, for: record(id))?.code == .zoneNotFound)
        }
        #expect(!access(.privateUser, .none, .accepted).canRead(Self.zoneID))
        #expect(reader.readAccess != access(.privateUser, .readOnly, .accepted, "b").readAccess)
        #expect(access(.administrator, .readWrite, .accepted).canChangeShare(share))
        #expect(!access(.privateUser, .readWrite, .accepted).canChangeShare(share))
        // Two hierarchies of one zone; the user may change one of them.
        var both = ShareAccess()
        for (name, permission) in [("a", Share.ParticipantPermission.readOnly), ("b", .readWrite)] {
            both.add(
                Share.Participant(
                    participantID: name, userRecordName: "_ben", role: .privateUser, permission: permission,
                    acceptanceStatus: .accepted, acceptanceID: name),
                by: RecordID(recordName: name, zoneID: Self.zoneID))
        }
        #expect(both.canRead(Self.zoneID) && both.isPartial)
        #expect(both.shareNames(in: Self.zoneID) == ["a", "b"])
        #expect(both.violation(of: .read, for: record(id))?.code == .unknownItem)
        #expect(both.violation(of: .read, for: record(id, in: "c"))?.code == .unknownItem)
        #expect(both.violation(of: .read, for: record(id, in: "a")) == nil)
        #expect(both.violation(of: .write, for: record(id, in: "a"))?.code == .permissionFailure)
        #expect(both.violation(of: .write, for: record(id, in: "b")) == nil)
        #expect(!both.hasShare(ShareRule.shareID(of: Self.zoneID)))
    }
}
