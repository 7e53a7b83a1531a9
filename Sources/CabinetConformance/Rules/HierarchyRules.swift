import Cabinet
import CabinetTools
import Foundation

extension ConformanceRule {
    /// The saves and deletions of shares of hierarchies.
    static let hierarchies: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "the share of a record names its root, and the root its share",
            law:
                "A share that is saved with its root has the root's ID and a URL; the root has the share, and a record below it has none.",
            source: .cloudKit("CKRecord.h, share; CKShare.h, initWithRootRecord:shareID:")
        ) { world in
            let scene = try await world.treeScene()
            let root = try await scene.own.record(for: SharingScene.own("list"))
            try expect("The share before", root.share, equals: nil)
            var share = Share(rootRecord: root)
            share[Share.SystemFieldKey.title] = "Groceries"
            let saved = try await scene.own.saveAll([root, share.record])
            let reference = Reference(recordID: share.recordID, action: .none)
            try expect("The share of the root", saved[0].share, equals: reference)
            share = try Share(saved[1])
            try expect("The root", share.rootRecordID, equals: root.recordID)
            try expect("The title", share[Share.SystemFieldKey.title], equals: "Groceries")
            try expect("The owner", share.owner?.userRecordName, equals: "_anna")
            try expect(share.url != nil, "The share has no URL.")
            for keys in [nil, ["name"], []] as [[String]?] {
                let results = try await scene.own.records(
                    for: ["list", "milk"].map(SharingScene.own), desiredKeys: keys)
                let list = try require(results[SharingScene.own("list")], "The list").get()
                try expect("The fetched share", list.share, equals: reference)
                let milk = try require(results[SharingScene.own("milk")], "The milk").get()
                try expect("The share of the milk", milk.share, equals: nil)
                let found = try await scene.own.records(
                    matching: Query(recordType: "Lists"), inZoneWith: SharingScene.zoneID, desiredKeys: keys)
                let shares = try found.matchResults.map { try $0.1.get().share }
                try expect("The found shares", Set(shares), equals: [reference, nil])
                let changes = try await scene.own.recordZoneChanges(
                    inZoneWith: SharingScene.zoneID, since: nil, desiredKeys: keys)
                let change = try require(changes.modificationResultsByID[root.recordID], "The change").get()
                try expect("The changed share", change.record.share, equals: reference)
            }
            let decoded = try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(saved[0]))
            try expect("The decoded share", decoded.share, equals: reference)
            share[Share.SystemFieldKey.title] = "Food"
            share = try await scene.own.save(share)
            try expect("The root after a change", share.rootRecordID, equals: root.recordID)
            try expect("The title after a change", share[Share.SystemFieldKey.title], equals: "Food")
            let list = try await scene.own.record(for: root.recordID)
            try expect("The field names", Set(list.allKeys()), equals: ["name"])
            try expect("The fields", Set(try await scene.own.schema()["Lists"].fields.keys), equals: ["name"])
        },
        ConformanceRule(
            .sharing, "a new share is saved with its root",
            law:
                "A share without its root in the batch, in the default zone, in another zone than its root or in the public database is refused.",
            source: .cloudKit("CKShare.h, initWithRootRecord:")
        ) { world in
            let scene = try await world.treeScene()
            let root = try await scene.own.record(for: SharingScene.own("list"))
            try await expectError(.invalidArguments, naming: ["root", "batch"]) {
                try await scene.own.save(Share(rootRecord: root))
            }
            let missing = Record(recordType: "Lists", recordID: SharingScene.own("none"))
            try await expectError(.invalidArguments) { try await scene.own.save(Share(rootRecord: missing)) }
            let elsewhere = Share(rootRecord: root, shareID: RecordID(recordName: "x", zoneID: SharingScene.otherID))
            try await scene.own.save(RecordZone(zoneID: SharingScene.otherID))
            try await expectError(.partialFailure, naming: ["invalidArguments"]) {
                try await scene.own.modifyRecords(saving: [root, elsewhere.record], deleting: [])
            }
            let list = try await scene.own.save(Record("Lists", "list"))
            let failures = try await scene.own.failures(saving: [list, Share(rootRecord: list).record])
            try expect(
                "The error", failures.values.map { $0.code }.contains(.invalidArguments), equals: true)
            let database = scene.anna.publicDatabase
            let other = try await database.save(Record("Lists", "list"))
            try await expectError(.partialFailure, naming: ["badDatabase"]) {
                try await database.modifyRecords(saving: [other, Share(rootRecord: other).record], deleting: [])
            }
            // A root that is new in the batch, and one of a batch that is not atomic.
            let new = Record(recordType: "Lists", recordID: SharingScene.own("new"))
            try await scene.own.saveAll([Share(rootRecord: new).record, new])
            let results = try await scene.own.modifyRecords(
                saving: [Share(rootRecord: root, shareID: SharingScene.own("s")).record, root.with(["name": 7])],
                deleting: [], atomically: false)
            try expect("The share", results.saveResults[SharingScene.own("s")]?.code, equals: .invalidArguments)
        },
        ConformanceRule(
            .sharing, "at most one share covers a record",
            law:
                "A share of a record that is shared, of one below or above it, or of its zone, is alreadyShared, and the error names the other share.",
            source: .cloudKit("CKError.h, alreadyShared; CKRecord.h, share")
        ) { world in
            let scene = try await world.hierarchyScene()
            func expectShared(by name: String, _ root: Record, _ share: Share, line: Int = #line) async throws {
                let error = try await expectError(.partialFailure, line: line) {
                    try await scene.own.modifyRecords(saving: [root, share.record], deleting: [])
                }
                let found = error.partialErrorsByItemID[share.recordID]
                try expect("The share's error", found?.code, equals: .alreadyShared, line: line)
                try expect(found?.message.contains("'\(name)'") == true, "The error does not name \(name).", line: line)
            }
            for name in ["list", "milk", "note"] {
                let record = try await scene.own.record(for: SharingScene.own(name))
                let share = Share(rootRecord: record)
                try await expectShared(by: "listShare", record, share)
            }
            // One above a root.
            let home = try await scene.save("home", "Lists", below: nil)
            try await scene.move("list", below: "home")
            try await scene.move("other", below: "home")
            try await expectShared(by: "listShare", home, Share(rootRecord: home))
            // A sibling, and two records below one in two shares.
            try await scene.share("other", as: "otherShare", accepting: false)
            for (name, parent) in [("list", "egg"), ("other", "milk")] {
                let error = try await expectError(.alreadyShared) { try await scene.move(name, below: parent) }
                try expect("The record", error.recordID, equals: SharingScene.own(name))
            }
            // A record above a root moves below another root.
            let error = try await expectError(.alreadyShared, naming: ["Share"]) {
                try await scene.save("attic", "Lists", below: nil)
                try await scene.move("list", below: "attic")
                try await scene.move("attic", below: "egg")
            }
            try expect("The record", error.recordID, equals: SharingScene.own("attic"))
            try await expectError(.alreadyShared) { try await scene.own.save(Share(recordZoneID: SharingScene.zoneID)) }
            try expect("The records of Ben", try await scene.names(scene.reader), equals: SharingScene.covered)
            // A share of the zone beside one of a record.
            _ = try await scene.own.modifyRecords(
                saving: [], deleting: [SharingScene.listShareID, SharingScene.own("otherShare")])
            try await scene.own.save(Share(recordZoneID: SharingScene.zoneID))
            let list = try await scene.own.record(for: SharingScene.own("list"))
            try await expectShared(by: Share.zoneWideRecordName, list, Share(rootRecord: list))
        },
        ConformanceRule(
            .sharing, "a root that is shared again has the same URL",
            law: "The URL belongs to the root: it leads to the root's present share, and another root has another one.",
            source: .cloudKit("CKShare.h, url")
        ) { world in
            let scene = try await world.treeScene()
            let first = try await scene.share("list", as: "first", accepting: false)
            let other = try await scene.share("other", as: "otherShare", accepting: false)
            try expect(first.url != other.url, "Two roots have one URL.")
            try await scene.own.deleteRecord(withID: first.recordID)
            try await expectError(.permissionFailure) { try await scene.ben.accept(first) }
            let second = try await scene.share("list", as: "second", accepting: false)
            try expect("The URL", second.url, equals: first.url)
            try await scene.ben.accept(first)
            try expect("The records", try await scene.names(scene.reader), equals: SharingScene.covered)
            let metadata = try await scene.ben.shareMetadata(for: try require(first.url, "The URL"))
            try expect("The root", metadata.hierarchicalRootRecordID, equals: SharingScene.shared("list"))
            try expect("The share", metadata.share.recordID, equals: SharingScene.shared("second"))
            try await expectError(.permissionFailure) {
                try await scene.dora.shareMetadata(for: try require(first.url, "The URL"))
            }
        },
        ConformanceRule(
            .sharing, "metadata have the root record if it is asked for",
            law:
                "The metadata of a hierarchy have the root with the desired fields, before it is accepted; those of a zone have none.",
            source: .cloudKit("CKFetchShareMetadataOperation.h, shouldFetchRootRecord, rootRecordDesiredKeys")
        ) { world in
            let scene = try await world.treeScene()
            let share = try await scene.share("list", as: "listShare", accepting: false)
            let url = try require(share.url, "The URL")
            let plain = try await scene.ben.shareMetadata(for: url)
            try expect("The root without a request", plain.rootRecord, equals: nil)
            for (keys, names) in [(nil, ["name"]), (["name"], ["name"]), ([], [])] as [([String]?, [String])] {
                let metadata = try await scene.ben.shareMetadata(
                    for: url, shouldFetchRootRecord: true, rootRecordDesiredKeys: keys)
                let root = try require(metadata.rootRecord, "The root")
                try expect("The root's ID", root.recordID, equals: SharingScene.shared("list"))
                try expect("The fields", root.allKeys(), equals: names)
                let shareID = SharingScene.shared("listShare")
                try expect("The share", root.share, equals: Reference(recordID: shareID, action: .none))
            }
            try await expectError(.permissionFailure) {
                try await scene.dora.shareMetadata(for: url, shouldFetchRootRecord: true)
            }
            let own = try await scene.anna.shareMetadatas(for: [url], shouldFetchRootRecord: true)[url]?.get()
            try expect("The owner's root", own?.rootRecord?.recordID, equals: SharingScene.own("list"))
            try await scene.own.save(RecordZone(zoneID: SharingScene.otherID))
            let zone = try await scene.own.save(Share(recordZoneID: SharingScene.otherID))
            let whole = try await scene.anna.shareMetadata(
                for: try require(zone.url, "The URL of the zone"), shouldFetchRootRecord: true)
            try expect("The root of a zone", whole.rootRecord, equals: nil)
        },
        ConformanceRule(
            .sharing, "a root loses its share with the share, and a share goes with its root",
            law:
                "After the deletion of the share, the root has none, at once if it is in the same batch. The deletion of the root deletes the share.",
            source: .cloudKit("CKRecord.h, share; CKShare, deleting the root")
        ) { world in
            let scene = try await world.hierarchyScene()
            let list = try await scene.own.record(for: SharingScene.own("list"))
            let (saved, _) = try await scene.own.modifyRecords(saving: [list], deleting: [SharingScene.listShareID])
            let root = try require(saved[list.recordID], "The root").get()
            try expect("The share in the batch", root.share, equals: nil)
            for user in [scene.ben, scene.cleo] { try await scene.expectNothing(user) }
            _ = try await scene.own.record(for: SharingScene.own("note"))
            try await scene.share("list", as: "second")
            try await scene.own.deleteRecord(withID: SharingScene.own("second"))
            let alone = try await scene.own.record(for: list.recordID)
            try expect("The share", alone.share, equals: nil)
            try expect(alone.recordChangeTag != root.recordChangeTag, "The root has its old tag.")
            // No record below keeps a deleted share.
            try await scene.share("milk", as: "milkShare")
            try expect("The records", try await scene.names(scene.reader), equals: ["milk", "note"])
            try await expectError(.referenceViolation) {
                try await scene.own.deleteRecord(withID: SharingScene.own("milk"))
            }
            _ = try await scene.own.modifyRecords(saving: [], deleting: ["milk", "note"].map(SharingScene.own))
            try await expectError(.unknownItem) {
                try await scene.own.record(for: SharingScene.own("milkShare"))
            }
            for user in [scene.ben, scene.cleo] { try await scene.expectNothing(user) }
        },
        ConformanceRule(
            .sharing, "a store with shared hierarchies verifies clean",
            law:
                "Verification finds nothing in a store whose hierarchies were shared, moved and unshared, also with a strict schema.",
            source: .cabinet("Verification")
        ) { world in
            var schema = Schema()
            for type in ["Lists", "Items", "Notes"] {
                schema[type] = .init(fields: [
                    "name": .init(.string), "number": .init(.int64), "link": .init(.reference),
                ])
            }
            for mode in [SchemaMode.strict(schema), .growing] {
                let scene = try await world.hierarchyScene(schema: mode)
                try await scene.move("milk", below: "other")
                try await scene.move("egg", below: "list")
                try await scene.share("other", as: "otherShare", accepting: false)
                for user in [scene.anna, scene.ben, scene.cleo] {
                    let report = try await user.verify()
                    try expect("The findings", report.findings.map(\.description), equals: [])
                }
                try await scene.own.deleteRecordZone(withID: SharingScene.zoneID)
                try expect("Ben's zones", try await scene.reader.allRecordZones().map(\.zoneID), equals: [])
            }
        },
    ]
}
