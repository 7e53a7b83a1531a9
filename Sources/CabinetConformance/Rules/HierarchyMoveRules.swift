import Cabinet
import Foundation

extension ConformanceRule {
    /// The records that enter and leave hierarchies, and the participants that do.
    static let hierarchyMoves: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "a record that moves takes what is below it along",
            law:
                "A save of a new parent moves a record and all below it into a hierarchy or out of it; those below keep their change tags.",
            source: .cloudKit("CKRecord.h, parent")
        ) { world in
            let scene = try await world.hierarchyScene()
            let note = try await scene.own.record(for: SharingScene.own("note"))
            try await scene.move("milk", below: "other")
            for database in [scene.reader, scene.writer] {
                try expect("The records", try await scene.names(database), equals: ["list", "bread"])
            }
            try await scene.move("other", below: "bread")
            for database in [scene.reader, scene.writer] {
                try expect(
                    "The records after the second move", try await scene.names(database),
                    equals: ["list", "bread", "milk", "note", "other", "egg"])
            }
            try await scene.share("diary", as: "diaryShare", accepting: false)
            try await scene.move("milk", below: "diary")
            try expect(
                "The records after the third", try await scene.names(scene.reader),
                equals: ["list", "bread", "other", "egg"])
            // Two records that move in opposite directions, in one batch.
            var (bread, egg) = (
                try await scene.own.record(for: SharingScene.own("bread")),
                try await scene.own.record(for: SharingScene.own("other"))
            )
            bread.setParent(nil as Record?)
            egg.setParent(SharingScene.own("list"))
            try await scene.own.saveAll([bread, egg])
            try expect(
                "The records after the batch", try await scene.names(scene.reader), equals: ["list", "other", "egg"])
            let same = try await scene.own.record(for: note.recordID)
            try expect("The note's tag", same.recordChangeTag, equals: note.recordChangeTag)
            try await scene.own.save(note.with(["name": "kept"]))
        },
        ConformanceRule(
            .sharing, "a deep hierarchy moves at once",
            law: "A chain of a thousand records enters and leaves a hierarchy with the first of them, in one request.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.hierarchyScene()
            let chain = (0..<1000).map { number in
                var record = Record(recordType: "Links", recordID: SharingScene.own("c\(number)"))
                if number > 0 { record.setParent(SharingScene.own("c\(number - 1)")) }
                return record
            }
            try await scene.own.saveAll(chain)
            let links = Query(recordType: "Links")
            for (parent, count) in [("note", 1000), (nil, 0), ("list", 1000)] as [(String?, Int)] {
                try await scene.move("c0", below: parent)
                try expect(
                    "The count below \(parent ?? "nothing")",
                    try await scene.reader.count(matching: links, inZoneWith: SharingScene.sharedID), equals: count)
            }
            try await scene.own.deleteRecord(withID: SharingScene.listShareID)
            try await scene.expectNothing(scene.ben)
            let ends = ["c0", "c999"].map(SharingScene.own)
            for id in ends {
                var record = try await scene.own.record(for: id)
                try expect("The share", record.share, equals: nil)
                record["number"] = 1
                try await scene.own.save(record)
            }
        },
        ConformanceRule(
            .sharing, "the changes of a hierarchy report what enters and leaves it",
            law:
                "Records that enter a hierarchy are changes, and those that leave it deletions, once each; other records are not reported at all.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.hierarchyScene()
            var (reader, writer): (ServerChangeToken?, ServerChangeToken?) = (nil, nil)
            let all = Set((SharingScene.covered + ["listShare"]).map { "+\($0)" })
            func expectChanges(_ expected: Set<String>, line: Int = #line) async throws {
                let found = try await scene.changes(scene.reader, since: &reader)
                try expect("The reader's changes", found, equals: expected, line: line)
                try expect(
                    "The writer's changes", try await scene.changes(scene.writer, since: &writer), equals: expected,
                    line: line)
            }
            try await expectChanges(all)
            try await scene.save("tea", below: "other")
            try await scene.own.deleteRecord(withID: SharingScene.own("diary"))
            try await expectChanges([])
            try await scene.move("milk", below: nil)
            try await expectChanges(["-milk", "-note"])
            try await scene.own.save(try await scene.own.record(for: SharingScene.own("note")).with(["name": "n"]))
            try await expectChanges([])
            try await scene.move("other", below: "bread")
            try await expectChanges(["+other", "+egg", "+tea"])
            try await scene.own.deleteRecord(withID: SharingScene.own("tea"))
            try await scene.move("egg", below: "milk")
            try await scene.move("egg", below: "other")
            try await expectChanges(["-tea", "+egg"])
            try await scene.move("egg", below: "milk")
            try await scene.own.deleteRecord(withID: SharingScene.own("egg"))
            try await scene.save("egg", below: "list")
            try await expectChanges(["+egg"])
            var pages: Set<String> = []
            var token: ServerChangeToken?
            var isMore = true
            while isMore {
                let page = try await scene.reader.recordZoneChanges(
                    inZoneWith: SharingScene.sharedID, since: token, resultsLimit: 1)
                try expect(page.deletions.isEmpty, "A client that begins receives deletions.")
                for id in page.modificationResultsByID.keys {
                    try expect(pages.insert(id.recordName).inserted, "The record \(id) is reported twice.")
                }
                (token, isMore) = (page.changeToken, page.moreComing)
            }
            try expect("The pages", pages, equals: ["list", "bread", "other", "egg", "listShare"])
        },
        ConformanceRule(
            .sharing, "a live query of a hierarchy follows what enters and leaves it",
            law:
                "An observer in a hierarchy receives records that enter it, loses those that leave it, and notices no others.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.hierarchyScene()
            var probe = try ObservationProbe(scene.reader, SharingScene.items, zoneID: SharingScene.sharedID)
            try await probe.expectNext(["bread", "milk"])
            try await scene.move("egg", below: "list")
            try await probe.expectFinally(["bread", "egg", "milk"])
            try await scene.move("egg", below: nil)
            try await probe.expectFinally(["bread", "milk"])
            try await scene.move("other", below: "note")
            try await scene.move("egg", below: "other")
            try await probe.expectFinally(["bread", "egg", "milk"])
            try await scene.move("other", below: nil)
            try await scene.save("tea", below: "list")
            try await probe.expectFinally(["bread", "milk", "tea"])
            try await scene.own.deleteRecord(withID: SharingScene.listShareID)
            try await expectError(.zoneNotFound) {
                while true { try await probe.next() }
            }
        },
        ConformanceRule(
            .sharing, "a participant moves records within its hierarchies and out of them",
            law:
                "A participant with write permission moves a record to another parent that it may change, or to none; then it loses the record.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.hierarchyScene()
            try await scene.share("other", as: "otherShare")
            try await scene.share("diary", as: "diaryShare", accepting: false)
            func move(_ name: String, below parent: String?) async throws {
                var record = try await scene.writer.record(for: SharingScene.shared(name))
                record.setParent(parent.map(SharingScene.shared))
                try await scene.writer.save(record)
            }
            try await move("milk", below: "egg")
            try await move("milk", below: "list")
            try await expectError(.permissionFailure) { try await move("milk", below: "diary") }
            try await expectError(.permissionFailure) { try await move("milk", below: "none") }
            try await expectError(.alreadyShared) { try await move("other", below: "milk") }
            var token: ServerChangeToken?
            _ = try await scene.changes(scene.reader, since: &token)
            try await move("milk", below: nil)
            try expect("The changes", try await scene.changes(scene.reader, since: &token), equals: ["-milk", "-note"])
            for name in ["milk", "note"] {
                _ = try await scene.own.record(for: SharingScene.own(name))
                try await expectError(.unknownItem) { try await scene.writer.record(for: SharingScene.shared(name)) }
            }
            try await scene.own.save(
                try Share(try await scene.own.record(for: SharingScene.own("otherShare"))).adding("_cleo", .readOnly))
            try await expectError(.permissionFailure) { try await move("bread", below: "egg") }
            try await expectError(.permissionFailure) { try await move("egg", below: "list") }
        },
        ConformanceRule(
            .sharing, "two shares of one zone are one zone with both hierarchies",
            law:
                "A participant of two shares of a zone sees both in one zone; after leaving one, it sees the other alone, and its old token has expired.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.hierarchyScene()
            var token: ServerChangeToken?
            _ = try await scene.changes(scene.reader, since: &token)
            let other = try await scene.share("other", as: "otherShare")
            let both = SharingScene.covered + ["other", "egg"]
            try expect("The records", Set(try await scene.names(scene.reader)), equals: Set(both))
            try expect(
                "The zones", try await scene.reader.allRecordZones().map(\.zoneID), equals: [SharingScene.sharedID])
            try expect(
                "The items",
                try await scene.reader.count(matching: SharingScene.items, inZoneWith: SharingScene.sharedID),
                equals: 3)
            try await expectError(.changeTokenExpired) {
                try await scene.reader.recordZoneChanges(inZoneWith: SharingScene.sharedID, since: token)
            }
            token = nil
            try expect(
                "The changes", try await scene.changes(scene.reader, since: &token),
                equals: Set((both + ["listShare", "otherShare"]).map { "+\($0)" }))
            try await scene.move("bread", below: "egg")
            try expect(
                "The changes after a move", try await scene.changes(scene.reader, since: &token), equals: ["+bread"])
            try await scene.reader.deleteRecord(withID: SharingScene.shared("listShare"))
            try expect(
                "The records after leaving", try await scene.names(scene.reader), equals: ["bread", "other", "egg"])
            try await expectError(.changeTokenExpired) {
                try await scene.reader.recordZoneChanges(inZoneWith: SharingScene.sharedID, since: token)
            }
            try expect("The writer's records", try await scene.names(scene.writer).count, equals: 6)
            let share = try Share(try await scene.own.record(for: SharingScene.listShareID))
            try expect("The participants", share.participants.map(\.userRecordName), equals: ["_anna", "_cleo"])
            try await scene.own.deleteRecord(withID: other.recordID)
            try await scene.expectNothing(scene.ben)
            try await scene.own.save(share.adding("_ben", .readWrite))
            try await scene.ben.accept(share)
            try expect("The records at last", try await scene.names(scene.reader), equals: ["list", "milk", "note"])
        },
        ConformanceRule(
            .sharing, "a participant of a hierarchy is removed, and a public share admits all",
            law:
                "Removal, a change of the public permission and the deletion of the zone end the view of a hierarchy; the share's permission is in force at once.",
            source: .cloudKit("CKShare.h, publicPermission")
        ) { world in
            let scene = try await world.hierarchyScene()
            func change(_ body: (inout Share) -> Void) async throws -> Share {
                var share = try Share(try await scene.own.record(for: SharingScene.listShareID))
                body(&share)
                return try await scene.own.save(share)
            }
            let milk = try await scene.writer.record(for: SharingScene.shared("milk"))
            _ = try await change { $0.addParticipant(Share.Participant(userRecordName: "_cleo")) }
            try await expectError(.permissionFailure) { try await scene.writer.save(milk.with(["number": 1])) }
            _ = try await change { $0.removeParticipant(Share.Participant(userRecordName: "_cleo")) }
            try await scene.expectNothing(scene.cleo)
            let share = try await change { $0.publicPermission = .readWrite }
            try await scene.dora.accept(share)
            try expect("Dora's records", try await scene.names(scene.dora.sharedDatabase), equals: SharingScene.covered)
            let bread = try await scene.dora.sharedDatabase.record(for: SharingScene.shared("bread"))
            try await scene.dora.sharedDatabase.save(bread.with(["number": 4]))
            _ = try await change { $0.publicPermission = .none }
            for user in [scene.ben, scene.dora] { try await scene.expectNothing(user) }
            let again = try await change { $0.addParticipant(Share.Participant(userRecordName: "_ben")) }
            try await scene.ben.accept(again)
            try await scene.own.deleteRecordZone(withID: SharingScene.zoneID)
            try await scene.expectNothing(scene.ben)
            try await scene.own.save(RecordZone(zoneID: SharingScene.zoneID))
            try await scene.save("list", "Lists", below: nil)
            let new = try await scene.share("list", as: "listShare", accepting: false)
            try expect(new.url != again.url, "The root of a new zone has the URL of a deleted one.")
            try await scene.expectNothing(scene.ben)
        },
        ConformanceRule(
            .sharing, "moves are forgotten with deletions",
            law: "A token expires when the moves since then are forgotten, which are counted like deletions.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.hierarchyScene()
            let container = try world.container(
                account: Account(userRecordName: "_anna"), changeRetention: ChangeRetention(count: 4))
            var token: ServerChangeToken?
            _ = try await scene.changes(scene.reader, since: &token)
            let own = container.privateDatabase
            for number in 0..<24 {
                var milk = try await own.record(for: SharingScene.own("milk"))
                milk.setParent(number.isMultiple(of: 2) ? nil : SharingScene.own("list"))
                try await own.save(milk)
            }
            try await expectError(.changeTokenExpired) {
                try await scene.reader.recordZoneChanges(inZoneWith: SharingScene.sharedID, since: token)
            }
        },
    ]
}

extension Share {
    /// Returns the share with a participant, or with another permission of one.
    fileprivate func adding(_ user: String, _ permission: ParticipantPermission) -> Share {
        var share = self
        share.addParticipant(Participant(userRecordName: user, permission: permission))
        return share
    }
}
