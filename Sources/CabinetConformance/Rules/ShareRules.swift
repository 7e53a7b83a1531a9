import Cabinet
import CabinetTools
import Foundation

extension ConformanceRule {
    /// The saves of a share: where it may be, and what they mean for its participants.
    static let shares: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "a zone's share has its owner and a URL",
            law:
                "A saved share is a record of its zone, with the owner as the first participant, a change tag, custom keys and a URL.",
            source: .cloudKit("CKShare, init(recordZoneID:)")
        ) { world in
            let scene = try await world.sharingScene()
            var share = Share(recordZoneID: SharingScene.zoneID)
            try expect("The URL before the save", share.url, equals: nil)
            share[Share.SystemFieldKey.title] = "Groceries"
            share["color"] = 3
            share = try await scene.own.save(share)
            try expect("The share's ID", share.recordID, equals: SharingScene.ownShareID)
            try expect("The type", share.record.recordType, equals: Share.recordType)
            try expect(share.recordChangeTag != nil && share.url != nil, "The share has no tag or no URL.")
            try expect("The title", share[Share.SystemFieldKey.title], equals: "Groceries")
            let owner = try require(share.owner, "The owner")
            try expect("The owner", owner.userRecordName, equals: "_anna")
            try expect("The owner's role", owner.role, equals: .owner)
            try expect("The owner's permission", owner.permission, equals: .readWrite)
            try expect("The owner's state", owner.acceptanceStatus, equals: .accepted)
            for zoneID in [SharingScene.zoneID, SharingScene.sharedID] {
                try expect("The fetched share", try await scene.own.share(forZoneWith: zoneID), equals: share)
            }
            let changes = try await scene.own.recordZoneChanges(inZoneWith: SharingScene.zoneID, since: nil)
            try expect(changes.modificationResultsByID[share.recordID] != nil, "The feed has no share.")
            let found = try await scene.own.allRecords(
                matching: Query(recordType: Share.recordType), inZoneWith: SharingScene.zoneID)
            try expect("The found shares", found, equals: [share.record])
            try expect(
                "The record types", Set(try await scene.own.schema().recordTypes.keys), equals: ["Items", "Lists"])
            let changed = try await scene.change { $0["color"] = 4 }
            try expect("The custom key", changed["color"], equals: 4)
            try expect("The URL after a change", changed.url, equals: share.url)
            try expect("The title after a change", changed[Share.SystemFieldKey.title], equals: "Groceries")
        },
        ConformanceRule(
            .sharing, "a store with shares verifies clean",
            law: "Verification finds nothing in a store with shares and participants, in no database.",
            source: .cabinet("Verification")
        ) { world in
            let scene = try await world.sharedScene()
            try await scene.change { $0["color"] = 3 }
            try await scene.reader.deleteRecord(withID: SharingScene.sharedShareID)
            for user in [scene.anna, scene.ben, scene.cleo] {
                let report = try await user.verify()
                try expect("The findings", report.findings.map(\.description), equals: [])
            }
        },
        ConformanceRule(
            .sharing, "only custom zones of the private database are shared",
            law:
                "A share in the default zone, under another name or with damaged parts is refused, and one in the public database too.",
            source: .cloudKit("CKShare.h")
        ) { world in
            let scene = try await world.sharingScene()
            try await expectError(.invalidArguments) { try await scene.own.save(Share(recordZoneID: .default)) }
            try await expectError(.zoneNotFound) {
                try await scene.own.save(Share(recordZoneID: RecordZone.ID(zoneName: "None")))
            }
            let database = scene.anna.publicDatabase
            try await database.save(RecordZone(zoneID: SharingScene.zoneID))
            try await expectError(.badDatabase) {
                try await database.save(Share(recordZoneID: SharingScene.zoneID))
            }
            let share = Share(recordZoneID: SharingScene.zoneID).record
            try await expectError(.invalidArguments) {
                try await scene.own.save(Record(recordType: Share.recordType, recordID: SharingScene.own("other")))
            }
            try await expectError(.invalidArguments) {
                try await scene.own.save(Record(recordType: "Items", recordID: share.recordID))
            }
            for (key, value) in [
                ("cloudkit.participants", ["?"] as (any RecordValue)?), ("cloudkit.participants", "?"),
                ("cloudkit.publicPermission", 9), ("cloudkit.publicPermission", "2"), ("cloudkit.title", 2),
                ("cloudkit.other", 1), ("a.b", 1),
            ] {
                try await expectError(.invalidArguments) { try await scene.own.save(share.with([key: value])) }
            }
            var child = share
            child.setParent(SharingScene.own("list"))
            try await expectError(.invalidArguments) { try await scene.own.save(child) }
            try await expectError(.unknownItem) { try await scene.own.share(forZoneWith: SharingScene.zoneID) }
        },
        ConformanceRule(
            .sharing, "a zone has one share",
            law:
                "A second share of a zone, and a change of an old version of one, are conflicts with the stored share.",
            source: .cloudKit("CKShare.h")
        ) { world in
            let scene = try await world.sharingScene()
            let first = try await scene.own.save(Share(recordZoneID: SharingScene.zoneID))
            let error = try await expectError(.serverRecordChanged) {
                try await scene.own.save(Share(recordZoneID: SharingScene.zoneID))
            }
            try expect("The share in the way", error.serverRecord, equals: first.record)
            var stale = first
            let current = try await scene.change { $0[Share.SystemFieldKey.title] = "new" }
            stale[Share.SystemFieldKey.title] = "stale"
            let conflict = try await expectError(.serverRecordChanged) { try await scene.own.save(stale) }
            try expect("The server's share", conflict.serverRecord, equals: current.record)
            try expect("The ancestor", conflict.ancestorRecord?.recordChangeTag, equals: first.recordChangeTag)
        },
        ConformanceRule(
            .sharing, "a share's URL survives its share",
            law:
                "A zone that is shared again has the same URL, another zone another one, and a zone that was created again a new one.",
            source: .cloudKit("CKShare.h, url")
        ) { world in
            let scene = try await world.sharingScene()
            let first = try await scene.own.save(Share(recordZoneID: SharingScene.zoneID))
            let other = try await scene.own.save(Share(recordZoneID: SharingScene.otherID))
            try expect(first.url != other.url, "Two zones have one URL.")
            try await scene.own.deleteRecord(withID: first.recordID)
            var again = Share(recordZoneID: SharingScene.zoneID)
            again.publicPermission = .readOnly
            again = try await scene.own.save(again)
            try expect("The URL", again.url, equals: first.url)
            try await scene.ben.accept(first)
            try await scene.own.deleteRecordZone(withID: SharingScene.zoneID)
            try await expectError(.permissionFailure) { try await scene.ben.accept(first) }
            try await scene.own.save(RecordZone(zoneID: SharingScene.zoneID))
            var new = Share(recordZoneID: SharingScene.zoneID)
            new.publicPermission = .readOnly
            try expect(try await scene.own.save(new).url != first.url, "A new zone has the URL of a deleted one.")
            try await expectError(.permissionFailure) { try await scene.ben.accept(first) }
            try await scene.expectNothing(scene.ben)
        },
        ConformanceRule(
            .sharing, "a share has at most 100 participants",
            law: "A share with more than 100 participants beside the owner is refused with tooManyParticipants.",
            source: .cloudKit("CKError.h, tooManyParticipants")
        ) { world in
            let scene = try await world.sharingScene()
            var share = Share(recordZoneID: SharingScene.zoneID)
            for number in 1...100 { share.addParticipant(Share.Participant(userRecordName: "_user\(number)")) }
            share = try await scene.own.save(share)
            try expect("The number of participants", share.participants.count, equals: 101)
            share.addParticipant(Share.Participant(userRecordName: "_late"))
            try await expectError(.tooManyParticipants) { [share] in try await scene.own.save(share) }
            share.removeParticipant(Share.Participant(userRecordName: "_user7"))
            try expect("The number of participants", try await scene.own.save(share).participants.count, equals: 101)
        },
        ConformanceRule(
            .sharing, "participants that were not fetched are not replaced",
            law:
                "A share of system fields is refused if it adds a participant, and keeps the participants if it changes another field.",
            source: .cabinet("Share")
        ) { world in
            let scene = try await world.sharedScene()
            let fetched = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            let restored = try Share(try Record(systemFields: fetched.record.encodeSystemFields()))
            var added = restored
            added.addParticipant(Share.Participant(userRecordName: "_dora"))
            try await expectError(.invalidArguments) { [added] in try await scene.own.save(added) }
            var changed = restored
            changed["color"] = 5
            try await scene.own.save(changed)
            let current = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            try expect("The participants", current.participants, equals: fetched.participants)
            try expect("The color", current["color"], equals: 5)
        },
        ConformanceRule(
            .sharing, "the service alone accepts for a participant",
            law:
                "A save changes roles and permissions of participants, not who has accepted; the owner stays the owner.",
            source: .cloudKit("CKShareParticipant.h, acceptanceStatus")
        ) { world in
            let scene = try await world.sharingScene()
            var share = Share(recordZoneID: SharingScene.zoneID).record
            // The stored form of participants, as a forged request has it.
            share["cloudkit.participants"] = ["1 3 3 2 forged p _dora", "1 1 3 2 - q _cleo"]
            try await expectError(.invalidArguments) { [share] in try await scene.own.save(share) }
            share["cloudkit.participants"] = ["1 3 3 2 forged p _dora"]
            share["cloudkit.shortGUID"] = "AAAAAAAAAAAAAAAAAAAAAA"
            let saved = try Share(try await scene.own.save(share))
            try expect("Dora's state", saved.participants.last?.acceptanceStatus, equals: .pending)
            try expect(saved.url?.absoluteString.contains("AAAAAAAA") == false, "A client has chosen the URL.")
            try await scene.expectNothing(scene.dora)
            try await scene.dora.accept(saved)
            let changed = try await scene.change {
                $0.addParticipant(Share.Participant(userRecordName: "_dora", role: .administrator))
            }
            try expect("Dora's role", changed.participants.last?.role, equals: .administrator)
            try expect("Dora's permission", changed.participants.last?.permission, equals: .readOnly)
            try expect("Dora's state", changed.participants.last?.acceptanceStatus, equals: .accepted)
            let none = try await scene.change { share in
                for participant in share.participants { share.removeParticipant(participant) }
            }
            try expect("The participants", none.participants.map(\.userRecordName), equals: ["_anna"])
        },
        ConformanceRule(
            .sharing, "a share that a cascade deletes ends the access of its participants",
            law:
                "Participants lose a zone whose share goes with another record, and none of them deletes such a record.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            let list = Reference(recordID: SharingScene.own("list"), action: .deleteSelf)
            try await scene.change { $0["about"] = list }
            // A store may delete so many records together.
            try await scene.own.saveAll(
                (0..<40).map { Record(recordType: "Items", recordID: SharingScene.own("i\($0)")).with(["list": list]) })
            try await expectError(.permissionFailure) {
                try await scene.writer.deleteRecord(withID: SharingScene.shared("list"))
            }
            _ = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            try await scene.own.deleteRecord(withID: SharingScene.own("list"))
            try await expectError(.unknownItem) { try await scene.own.share(forZoneWith: SharingScene.zoneID) }
            for user in [scene.ben, scene.cleo] { try await scene.expectNothing(user) }
            var share = Share(recordZoneID: SharingScene.zoneID)
            share.addParticipant(Share.Participant(userRecordName: "_dora"))
            try await scene.own.save(share)
            for user in [scene.ben, scene.cleo] { try await scene.expectNothing(user) }
        },
    ]
}
