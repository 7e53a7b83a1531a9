import Cabinet
import Foundation

extension ConformanceRule {
    /// The changes that participants receive.
    static let sharedChanges: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "the shared database reports zones that appear, change and vanish",
            law:
                "The changes of the shared database name a zone after its acceptance, after a change of it, and after its loss.",
            source: .cloudKit("CKFetchDatabaseChangesOperation.h")
        ) { world in
            let scene = try await world.sharedScene()
            var token: ServerChangeToken?
            func expectChanges(_ expected: [String], line: Int = #line) async throws {
                // A program keeps tokens as text.
                let since = try token.map {
                    try JSONDecoder().decode(ServerChangeToken.self, from: JSONEncoder().encode($0))
                }
                let changes = try await scene.writer.databaseChanges(since: since)
                let found = changes.modifications.map { "+\($0.zoneID)" } + changes.deletions.map { "-\($0.zoneID)" }
                try expect("The changes", found, equals: expected, line: line)
                try expect(!changes.moreComing, "More changes follow.", line: line)
                token = changes.changeToken
            }
            try await expectChanges(["+Lists:_anna"])
            try await expectChanges([])
            try await scene.own.fetchAndSave("milk")
            try await expectChanges(["+Lists:_anna"])
            try await scene.own.save(Record("Items", "private"))
            try await expectChanges([])
            var share = Share(recordZoneID: SharingScene.otherID)
            share.publicPermission = .readOnly
            share = try await scene.own.save(share)
            try await expectChanges([])
            try await scene.cleo.accept(share)
            try await expectChanges(["+Secrets:_anna"])
            let pages = try await scene.writer.databaseChanges(since: nil, resultsLimit: 1)
            try expect("The first page", pages.modifications.map(\.zoneID), equals: [SharingScene.sharedID])
            try expect(pages.moreComing, "No more changes follow.")
            let rest = try await scene.writer.databaseChanges(since: pages.changeToken, resultsLimit: 1)
            try expect("The second page", rest.modifications.map(\.zoneID.zoneName), equals: ["Secrets"])
            try await scene.own.deleteRecord(withID: share.recordID)
            try await expectChanges(["-Secrets:_anna"])
            try await expectChanges([])
            try await scene.writer.deleteRecord(withID: SharingScene.sharedShareID)
            try await expectChanges(["-Lists:_anna"])
            try await scene.cleo.accept(
                try await scene.change { $0.addParticipant(Share.Participant(userRecordName: "_cleo")) })
            try await expectChanges(["+Lists:_anna"])
            try await scene.own.deleteRecordZone(withID: SharingScene.zoneID)
            try await expectChanges(["-Lists:_anna"])
        },
        ConformanceRule(
            .sharing, "a shared zone reports its changes to participants",
            law:
                "A token of a shared zone continues with the changes and deletions of all users, and of no other zone.",
            source: .cloudKit("CKFetchRecordZoneChangesOperation.h")
        ) { world in
            let scene = try await world.sharedScene()
            let zoneID = SharingScene.sharedID
            var token = try await scene.reader.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
            try await scene.own.fetchAndSave("milk")
            try await scene.own.save(Record("Items", "private"))
            try await scene.writer.save(Record(recordType: "Items", recordID: SharingScene.shared("tea")))
            try await scene.writer.deleteRecord(withID: SharingScene.shared("bread"))
            let changes = try await scene.reader.recordZoneChanges(inZoneWith: zoneID, since: token)
            try expect(
                "The changed records", Set(changes.modificationResultsByID.keys),
                equals: Set(["milk", "tea"].map(SharingScene.shared)))
            try expect("The deletions", changes.deletions.map(\.recordID), equals: [SharingScene.shared("bread")])
            token = changes.changeToken
            let none = try await scene.reader.recordZoneChanges(inZoneWith: zoneID, since: token)
            try expect(
                "The number of further changes", none.modificationResultsByID.count + none.deletions.count, equals: 0)
            try await expectError(.invalidArguments) {
                try await scene.own.recordZoneChanges(inZoneWith: SharingScene.zoneID, since: token)
            }
        },
        ConformanceRule(
            .sharing, "a live query of a shared zone follows every user's changes",
            law:
                "An observer of a shared zone receives the changes of the owner and of other participants, and ends when it loses the zone.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            var probe = try ObservationProbe(scene.reader, SharingScene.items, zoneID: SharingScene.sharedID)
            try await probe.expectNext(["bread", "milk"])
            try await scene.writer.save(
                Record(recordType: "Items", recordID: SharingScene.shared("tea")).with(["name": "tea"]))
            try await probe.expectFinally(["bread", "milk", "tea"])
            try expect(
                "The IDs", probe.last.map(\.recordID.zoneID), equals: Array(repeating: SharingScene.sharedID, count: 3))
            try await scene.own.deleteRecord(withID: SharingScene.own("bread"))
            try await probe.expectFinally(["milk", "tea"])
            try await scene.change { share in
                for participant in share.participants where participant.userRecordName == "_ben" {
                    share.removeParticipant(participant)
                }
            }
            try await expectError(.zoneNotFound) {
                while true { try await probe.next() }
            }
        },
        ConformanceRule(
            .sharing, "a live aggregate of a shared zone counts its records alone",
            law: "An observed count of a shared zone follows the zone, and not the owner's other records.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            var counts = scene.reader.observeCount(
                matching: Query(recordType: "Items"), inZoneWith: SharingScene.sharedID
            ).makeAsyncIterator()
            try expect("The count", try await counts.next(), equals: 2)
            try await scene.own.save(Record("Items", "private"))
            try await scene.writer.save(Record(recordType: "Items", recordID: SharingScene.shared("tea")))
            var last: Int?
            while last != 3 {
                last = try await counts.next()
                try expect(last == 2 || last == 3, "The count is \(String(describing: last)).")
            }
        },
        ConformanceRule(
            .sharing, "participants read and save assets in a shared zone",
            law:
                "A participant reads the bytes of the zone's assets, saves new ones, and obtains none by its checksum alone.",
            source: .cloudKit("CKAsset.h"), abilities: [.assets]
        ) { world in
            let scene = try await world.sharedScene()
            let (first, second) = (AssetSamples.bytes(2000), AssetSamples.bytes(2000, seed: 2))
            let secret = AssetSamples.bytes(2000, seed: 3)
            let note = Record(recordType: "Notes", recordID: SharingScene.own("note"))
            try await scene.own.save(note.with(["file": Asset(data: first)]))
            let private_ = try await scene.own.save(Record("Notes", "private", ["file": Asset(data: secret)]))
            let read = try await scene.reader.record(for: SharingScene.shared("note"))
            try await expectBytes(try read.asset(), first)
            let saved = try await scene.writer.save(
                Record(recordType: "Notes", recordID: SharingScene.shared("new")).with(["file": Asset(data: second)]))
            try await expectBytes(try saved.asset(), second)
            try await expectBytes(try await scene.own.record(for: SharingScene.own("new")).asset(), second)
            // The asset of a record that is not shared, as a decoded record names it.
            let stolen = try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(private_))
            let forged = Record(recordType: "Notes", recordID: SharingScene.shared("forged")).with([
                "file": try stolen.asset()
            ])
            try await expectError(.assetNotAvailable) { try await scene.writer.save(forged) }
            try await scene.change { share in
                for participant in share.participants { share.removeParticipant(participant) }
            }
            try await expectError(.zoneNotFound) { try await scene.reader.record(for: SharingScene.shared("note")) }
        },
        ConformanceRule(
            .sharing, "a subscription to the shared database reports changes of its zones",
            law:
                "A database subscription fires after changes of shared zones, and not of others; query and zone subscriptions are refused.",
            source: .cloudKit("CKSubscription.h")
        ) { world in
            let scene = try await world.sharedScene()
            var token = try await scene.ben.fetchNotifications(since: nil).token
            func expectNotifications(_ expected: [String], line: Int = #line) async throws {
                let page = try await scene.ben.fetchNotifications(since: token)
                let found = page.notifications.map {
                    "\($0.subscriptionID) \($0.databaseScope) \($0.event == .database)"
                }
                try expect("The notifications", found, equals: expected, line: line)
                token = try JSONDecoder().decode(NotificationToken.self, from: JSONEncoder().encode(page.token))
            }
            try await scene.own.fetchAndSave("milk")
            try await expectNotifications([])
            try await scene.reader.save(DatabaseSubscription(subscriptionID: "all"))
            try await scene.own.save(Record("Items", "private"))
            try await expectNotifications([])
            try await scene.writer.save(Record(recordType: "Items", recordID: SharingScene.shared("tea")))
            try await scene.own.fetchAndSave("milk")
            try await expectNotifications(["all shared true"])
            try await expectNotifications([])
            try await scene.own.deleteRecord(withID: SharingScene.ownShareID)
            try await expectNotifications(["all shared true"])
            try await scene.own.fetchAndSave("milk")
            try await expectNotifications([])
            try await expectError(.badDatabase) {
                try await scene.reader.save(
                    RecordZoneSubscription(zoneID: SharingScene.sharedID, subscriptionID: "zone"))
            }
            try await expectError(.badDatabase) {
                try await scene.reader.save(
                    QuerySubscription(
                        recordType: "Items", filter: .constant(true), subscriptionID: "query",
                        zoneID: SharingScene.sharedID,
                        options: .firesOnRecordCreation))
            }
        },
        ConformanceRule(
            .sharing, "a shared zone gives a token for its first fetch",
            law:
                "A batch without records returns a token of a shared zone, after which the changes have the deletions since then.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            func token(_ zoneID: RecordZone.ID) async throws -> ServerChangeToken {
                let results = try await scene.reader.modifyRecords(saving: [], deleting: [], inZoneWith: zoneID)
                return results.changeToken
            }
            let first = try await token(SharingScene.sharedID)
            try await scene.own.deleteRecord(withID: SharingScene.own("bread"))
            let changes = try await scene.reader.recordZoneChanges(inZoneWith: SharingScene.sharedID, since: first)
            try expect(
                "The records", Set(changes.modificationResultsByID.keys),
                equals: Set(["list", "milk", Share.zoneWideRecordName].map(SharingScene.shared)))
            try expect("The deletions", changes.deletions.map(\.recordID), equals: [SharingScene.shared("bread")])
            for owner in ["_anna", "_dora", "none"] {
                try await expectError(.zoneNotFound) {
                    try await token(RecordZone.ID(zoneName: "Secrets", ownerName: owner))
                }
            }
        },
    ]
}

extension Database {
    /// Fetches an item of the zone to share as its owner, and saves it with another number.
    fileprivate func fetchAndSave(_ name: String) async throws {
        let record = try await record(for: SharingScene.own(name))
        try await save(record.with(["number": record["number", default: 0] + 1]))
    }
}
