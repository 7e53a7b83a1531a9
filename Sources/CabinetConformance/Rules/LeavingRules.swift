import Cabinet
import Foundation

extension ConformanceRule {
    /// The ways of a participant out of a share.
    static let leaving: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "a participant leaves by deleting the share",
            law:
                "The deletion of the share from the shared database removes the participant that sends it, and nothing else.",
            source: .cloudKit("CKShare.h")
        ) { world in
            let scene = try await world.sharedScene()
            try await expectError(.invalidArguments) {
                try await scene.writer.modifyRecords(
                    saving: [], deleting: [SharingScene.sharedShareID, SharingScene.shared("milk")])
            }
            try await scene.writer.deleteRecord(withID: SharingScene.sharedShareID)
            try await scene.expectNothing(scene.cleo)
            let share = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            try expect("The participants", share.participants.map(\.userRecordName), equals: ["_anna", "_ben"])
            _ = try await scene.reader.record(for: SharingScene.shared("milk"))
            _ = try await scene.own.record(for: SharingScene.own("milk"))
            try await scene.reader.deleteRecord(withID: SharingScene.sharedShareID)
            try await scene.expectNothing(scene.ben)
            try await expectError(.permissionFailure) { try await scene.ben.accept(share) }
        },
        ConformanceRule(
            .sharing, "a removed participant loses every way into the zone",
            law: "After a participant is removed, its cursors, tokens and records lead nowhere: zoneNotFound.",
            source: .cloudKit("CKShareParticipant.h")
        ) { world in
            let scene = try await world.sharedScene()
            let milk = try await scene.writer.record(for: SharingScene.shared("milk"))
            let page = try await scene.writer.records(
                matching: SharingScene.items, inZoneWith: SharingScene.sharedID, resultsLimit: 1)
            let cursor = try require(page.queryCursor, "The cursor")
            let token = try await scene.writer.recordZoneChanges(inZoneWith: SharingScene.sharedID, since: nil)
                .changeToken
            try await scene.change { share in
                for participant in share.participants where participant.userRecordName == "_cleo" {
                    share.removeParticipant(participant)
                }
            }
            try await scene.expectNothing(scene.cleo)
            try await expectError(.zoneNotFound) { try await scene.writer.records(continuingMatchFrom: cursor) }
            try await expectError(.zoneNotFound) {
                try await scene.writer.recordZoneChanges(inZoneWith: SharingScene.sharedID, since: token)
            }
            try await expectError(.zoneNotFound) { try await scene.writer.save(milk.with(["number": 1])) }
            _ = try await scene.reader.record(for: SharingScene.shared("milk"))
        },
        ConformanceRule(
            .sharing, "the owner unshares a zone by deleting the share or the zone",
            law:
                "Participants lose the zone with its share; the records stay with the owner, unless the zone itself is deleted.",
            source: .cloudKit("CKShare.h")
        ) { world in
            let scene = try await world.sharedScene()
            try await scene.own.deleteRecord(withID: SharingScene.ownShareID)
            for user in [scene.ben, scene.cleo] { try await scene.expectNothing(user) }
            _ = try await scene.own.record(for: SharingScene.own("milk"))
            try await expectError(.unknownItem) { try await scene.own.share(forZoneWith: SharingScene.zoneID) }
            var share = Share(recordZoneID: SharingScene.zoneID)
            share.addParticipant(Share.Participant(userRecordName: "_ben"))
            share = try await scene.own.save(share)
            // An invitation to a zone that is shared again is a new one.
            try await scene.expectNothing(scene.ben)
            try await scene.ben.accept(share)
            _ = try await scene.reader.record(for: SharingScene.shared("milk"))
            try await scene.own.deleteRecordZone(withID: SharingScene.zoneID)
            try await scene.expectNothing(scene.ben)
            try await scene.own.save(RecordZone(zoneID: SharingScene.zoneID))
            try await scene.expectNothing(scene.ben)
        },
        ConformanceRule(
            .sharing, "a token from before a participant left has expired",
            law:
                "A participant that has left and accepted again fetches the zone's changes from the beginning: changeTokenExpired.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            let zoneID = SharingScene.sharedID
            let token = try await scene.writer.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
            try await scene.writer.deleteRecord(withID: SharingScene.sharedShareID)
            let share = try await scene.change {
                $0.addParticipant(Share.Participant(userRecordName: "_cleo", permission: .readWrite))
            }
            try await scene.cleo.accept(share)
            try await expectError(.changeTokenExpired) {
                try await scene.writer.recordZoneChanges(inZoneWith: zoneID, since: token)
            }
            let changes = try await scene.writer.recordZoneChanges(inZoneWith: zoneID, since: nil)
            try expect("The number of records", changes.modificationResultsByID.count, equals: 4)
            // Saving the share again, without leaving, changes no acceptance.
            let current = changes.changeToken
            try await scene.change { $0[Share.SystemFieldKey.title] = "Groceries" }
            let more = try await scene.writer.recordZoneChanges(inZoneWith: zoneID, since: current)
            try expect(
                "The changed records", Array(more.modificationResultsByID.keys), equals: [SharingScene.sharedShareID])
        },
        ConformanceRule(
            .sharing, "a strict container shares zones",
            law:
                "Shares need no declaration in a schema; in a shared zone, the schema binds participants as it binds the owner.",
            source: .cabinet("Sharing")
        ) { world in
            var schema = Schema()
            schema["Items"] = .init(
                fields: ["name": .init(.string), "number": .init(.int64), "list": .init(.reference)])
            schema["Lists"] = .init(fields: ["name": .init(.string)])
            let scene = try await world.sharedScene(schema: .strict(schema))
            let milk = try await scene.writer.record(for: SharingScene.shared("milk"))
            try await scene.writer.save(milk.with(["number": 5]))
            try await expectError(.invalidArguments) { try await scene.writer.save(milk.with(["other": 5])) }
            try await expectError(.invalidArguments) {
                try await scene.writer.count(matching: Query(recordType: "None"), inZoneWith: SharingScene.sharedID)
            }
            try await scene.change { $0["color"] = 3 }
            for zoneID in [SharingScene.otherID.named("_anna"), SharingScene.zoneID.named("_dora")] {
                try await SharingScene.expectUnknown(zoneID, in: scene.reader)
            }
            try await scene.reader.deleteRecord(withID: SharingScene.sharedShareID)
            try await SharingScene.expectUnknown(SharingScene.sharedID, in: scene.reader)
        },
        ConformanceRule(
            .sharing, "shares survive closing the store",
            law: "After the store is opened again, participants have their zones, and tokens and URLs are valid.",
            source: .cabinet("Sharing"), needsReopening: true
        ) { world in
            let scene = try await world.sharedScene()
            let share = try await scene.own.share(forZoneWith: SharingScene.zoneID)
            let url = try require(share.url, "The URL")
            let token = try await scene.reader.databaseChanges(since: nil).changeToken
            try await world.reopened { world in
                let ben = try world.container(account: Account(userRecordName: "_ben"))
                try expect(
                    "The zones", try await ben.sharedDatabase.allRecordZones().map(\.zoneID),
                    equals: [SharingScene.sharedID])
                _ = try await ben.sharedDatabase.record(for: SharingScene.shared("milk"))
                try expect("The state", try await ben.shareMetadata(for: url).participantStatus, equals: .accepted)
                try expect(
                    "The changes", try await ben.sharedDatabase.databaseChanges(since: token).modifications.count,
                    equals: 0)
            }
        },
    ]
}

extension RecordZone.ID {
    /// The zone of the same name that another user owns.
    fileprivate func named(_ owner: String) -> RecordZone.ID { RecordZone.ID(zoneName: zoneName, ownerName: owner) }
}

extension SharingScene {
    /// Throws unless a zone is unknown to fetches, queries and saves of declared types.
    fileprivate static func expectUnknown(_ zoneID: RecordZone.ID, in database: Database) async throws {
        let id = RecordID(recordName: "milk", zoneID: zoneID)
        try await expectError(.zoneNotFound) { try await database.record(for: id) }
        try await expectError(.zoneNotFound) { try await database.save(Record(recordType: "Items", recordID: id)) }
        try await expectError(.zoneNotFound) {
            try await database.allRecords(matching: Query(recordType: "Items"), inZoneWith: zoneID)
        }
        try await expectError(.zoneNotFound) { try await database.recordZoneChanges(inZoneWith: zoneID, since: nil) }
    }
}
