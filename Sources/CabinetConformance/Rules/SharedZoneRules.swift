import Cabinet
import Foundation

extension ConformanceRule {
    /// The records that participants see, change and never see.
    static let sharedZones: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "a participant sees every record of the zone",
            law:
                "Fetches, queries, key paths, aggregates and changes have the zone's records, with the owner's name in each ID.",
            source: .cloudKit("CKContainer, sharedCloudDatabase")
        ) { world in
            let scene = try await world.sharedScene()
            for database in [scene.reader, scene.writer] {
                let zoneID = SharingScene.sharedID
                try expect("The zone", try await database.recordZone(for: zoneID).zoneID, equals: zoneID)
                let milk = try await database.record(for: SharingScene.shared("milk"))
                try expect("The ID", milk.recordID, equals: SharingScene.shared("milk"))
                try expect(
                    "The reference", milk["list"],
                    equals: Reference(recordID: SharingScene.shared("list"), action: .deleteSelf))
                try expect("The creator", milk.creatorUserRecordID?.recordName, equals: "_anna")
                let filter = try Filter(
                    "list.name == 'Groceries' AND list == %@",
                    Reference(recordID: SharingScene.shared("list"), action: .none))
                let query = Query(recordType: "Items", filter: filter, sortedBy: [.descending("number")])
                let found = try await database.allRecords(matching: query, inZoneWith: zoneID)
                try expect("The records", found.map(\.recordID), equals: ["bread", "milk"].map(SharingScene.shared))
                try expect("The count", try await database.count(matching: query, inZoneWith: zoneID), equals: 2)
                let sum = try await database.sum(of: "number", matching: query, inZoneWith: zoneID, as: Int.self)
                try expect("The sum", sum, equals: 5)
                let referring = Query(
                    recordType: "Lists", filter: try Filter("SUBQUERY(Items.list, $x, $x.number > 0).@count == 2"))
                try expect(
                    "The lists", try await database.allRecords(matching: referring, inZoneWith: zoneID).map(\.recordID),
                    equals: [SharingScene.shared("list")])
                let page = try await database.records(matching: SharingScene.items, inZoneWith: zoneID, resultsLimit: 1)
                let rest = try await database.records(continuingMatchFrom: try require(page.queryCursor, "A cursor"))
                try expect("The second page", rest.matchResults.map(\.0), equals: [SharingScene.shared("milk")])
                let changes = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
                try expect(
                    "The changes", Set(changes.modificationResultsByID.keys),
                    equals: Set(["list", "bread", "milk", Share.zoneWideRecordName].map(SharingScene.shared)))
                try expect(
                    "The share", try await database.share(forZoneWith: zoneID).recordID,
                    equals: SharingScene.sharedShareID)
                _ = try await database.explain(query, inZoneWith: zoneID)
            }
        },
        ConformanceRule(
            .sharing, "a participant reads no user's own record of the owner's database",
            law: "Such a record is not shared, so a path by a record's creator or last modifier ends there.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            var user = try await scene.own.record(for: .named("_anna"))
            user["salary"] = 5
            try await scene.own.save(user)
            for database in [scene.reader, scene.writer] {
                let zoneID = SharingScene.sharedID
                for (type, text) in [
                    ("Items", "creatorUserRecordID.salary == 5"), ("Items", "NOT lastModifiedUserRecordID.salary != 5"),
                    ("Lists", "SUBQUERY(Items.list, $x, $x.creatorUserRecordID.salary == 5).@count > 0"),
                ] {
                    let query = Query(recordType: type, filter: try Filter(text))
                    let found = try await database.allRecords(matching: query, inZoneWith: zoneID)
                    try expect("The records where \(text)", found.map(\.recordID.recordName), equals: [])
                    let count = try await database.count(matching: query, inZoneWith: zoneID)
                    try expect("The count where \(text)", count, equals: 0)
                }
                let items = Query(recordType: "Items")
                let key = "creatorUserRecordID.salary"
                let value = try await database.maximum(of: key, matching: items, inZoneWith: zoneID)
                try expect("The maximum", value?.fieldValue, equals: nil)
                let groups = try await database.counts(by: key, matching: items, inZoneWith: zoneID)
                try expect("The groups", groups.map { "\($0.value?.fieldValue as Any) \($0.count)" }, equals: ["nil 2"])
            }
        },
        ConformanceRule(
            .sharing, "what is outside of the shared zone does not exist for a participant",
            law: "No request of a participant reads, counts, changes or finds out a record of the owner's other zones.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            let secret = RecordID(recordName: "secret", zoneID: SharingScene.otherID)
            try await scene.own.save(Record(recordType: "Secrets", recordID: secret))
            let others = [
                RecordZone.ID(zoneName: "Secrets", ownerName: "_anna"),
                RecordZone.ID(zoneName: "None", ownerName: "_anna"),
                RecordZone.ID(ownerName: "_anna"), SharingScene.zoneID, .default,
                RecordZone.ID(zoneName: "Lists", ownerName: "_dora"),
                RecordZone.ID(zoneName: "Lists", ownerName: "none"),
            ]
            for database in [scene.reader, scene.writer] {
                for zoneID in others {
                    try await SharingScene.expectUnreachable(zoneID, in: database)
                    try await expectError(.zoneNotFound) {
                        try await database.transaction { transaction in
                            _ = try await transaction.record(for: RecordID(recordName: "letter", zoneID: zoneID))
                        }
                    }
                }
                try expect(
                    "The zones", try await database.allRecordZones().map(\.zoneID), equals: [SharingScene.sharedID])
                let all = Query(recordType: "Items", filter: try Filter("number > 0"))
                try expect(
                    "The count", try await database.count(matching: all, inZoneWith: SharingScene.sharedID), equals: 2)
                let schema = try await database.schema()
                try expect("The record types", Set(schema.recordTypes.keys), equals: ["Items", "Lists"])
                try expect("The number's type", schema["Items"]["number"]?.type, equals: .int64)
            }
            // A participant's own zone of the same name is another one.
            try await scene.cleo.privateDatabase.save(RecordZone(zoneID: SharingScene.zoneID))
            for target in [SharingScene.own("list"), RecordID(recordName: "letter", zoneID: others[0])] {
                let record = Record(recordType: "Items", recordID: SharingScene.shared("new"))
                    .with(["list": Reference(recordID: target, action: .none)])
                try await expectError(.invalidArguments) { try await scene.writer.save(record) }
            }
            try expect("The diary", try await scene.own.fetch("diary")["number"], equals: 40)
            try expect(
                "The number of letters",
                try await scene.own.count(matching: Query(recordType: "Items"), inZoneWith: SharingScene.otherID),
                equals: 1)
        },
        ConformanceRule(
            .sharing, "a reader changes nothing",
            law:
                "Each save and deletion of a participant that may read fails with permissionFailure, by the share that is stored.",
            source: .cloudKit("CKShareParticipant.h, permission")
        ) { world in
            let scene = try await world.sharedScene()
            let milk = try await scene.reader.record(for: SharingScene.shared("milk"))
            let new = Record(recordType: "Items", recordID: SharingScene.shared("new"))
            for policy in RecordSavePolicy.allCases {
                for record in [milk.with(["name": "x"]), new] {
                    let results = try await scene.reader.modifyRecords(
                        saving: [record], deleting: [], savePolicy: policy, atomically: false)
                    try expect("The result", results.saveResults[record.recordID]?.code, equals: .permissionFailure)
                }
            }
            try await expectError(.permissionFailure) { try await scene.reader.deleteRecord(withID: milk.recordID) }
            var share = try await scene.reader.share(forZoneWith: SharingScene.sharedID)
            share.addParticipant(Share.Participant(userRecordName: "_ben", permission: .readWrite))
            try await expectError(.permissionFailure) { [share] in try await scene.reader.save(share) }
            try await expectError(.permissionFailure) {
                try await scene.reader.deleteRecordZone(withID: SharingScene.sharedID)
            }
            try await expectError(.badDatabase) {
                try await scene.reader.save(RecordZone(zoneID: RecordZone.ID(zoneName: "New", ownerName: "_anna")))
            }
            try expect(
                "The item", try await scene.own.record(for: SharingScene.own("milk")).recordChangeTag,
                equals: milk.recordChangeTag)
        },
        ConformanceRule(
            .sharing, "a writer's changes are seen by all, and are the writer's",
            law:
                "A participant that may write saves and deletes records, whose creator or last modifier it is; cascades stay in the zone.",
            source: .cloudKit("CKRecord.h, creatorUserRecordID")
        ) { world in
            let scene = try await world.sharedScene()
            let milk = try await scene.writer.record(for: SharingScene.shared("milk"))
            let tea = Record(recordType: "Items", recordID: SharingScene.shared("tea"))
                .with([
                    "name": "tea", "number": 1,
                    "list": Reference(recordID: SharingScene.shared("list"), action: .deleteSelf),
                ])
            let saved = try await scene.writer.saveAll([milk.with(["number": 9]), tea])
            try expect("The saved IDs", saved.map(\.recordID), equals: ["milk", "tea"].map(SharingScene.shared))
            for (database, id) in [(scene.own, SharingScene.own("tea")), (scene.reader, SharingScene.shared("tea"))] {
                let found = try await database.record(for: id)
                try expect("The creator", found.creatorUserRecordID?.recordName, equals: "_cleo")
                try expect("The tag", found.recordChangeTag, equals: saved[1].recordChangeTag)
            }
            let changed = try await scene.own.record(for: SharingScene.own("milk"))
            try expect("The creator", changed.creatorUserRecordID?.recordName, equals: "_anna")
            try expect("The modifier", changed.lastModifiedUserRecordID?.recordName, equals: "_cleo")
            try await scene.own.save(changed.with(["number": 10]))
            let error = try await expectError(.serverRecordChanged, about: SharingScene.shared("milk")) {
                try await scene.writer.save(saved[0].with(["number": 11]))
            }
            let server = try require(error.serverRecord, "The server's record")
            try expect("The server's ID", server.recordID, equals: SharingScene.shared("milk"))
            try expect("The client's ID", error.clientRecord?.recordID, equals: SharingScene.shared("milk"))
            try expect(
                "The merged number", try await scene.writer.save(server.with(["number": 12]))["number"], equals: 12)
            try await scene.writer.deleteRecord(withID: SharingScene.shared("list"))
            for name in ["list", "milk", "bread", "tea"] {
                try await expectError(.unknownItem) { try await scene.own.record(for: SharingScene.own(name)) }
                try await expectError(.unknownItem) { try await scene.writer.record(for: SharingScene.shared(name)) }
            }
            try expect("The diary", try await scene.own.fetch("diary")["number"], equals: 40)
        },
        ConformanceRule(
            .sharing, "a permission is in force as soon as the share is saved",
            law:
                "A writer that becomes a reader saves nothing more, and a reader that becomes a writer does, without accepting again.",
            source: .cloudKit("CKShareParticipant.h, permission")
        ) { world in
            let scene = try await world.sharedScene()
            let milk = try await scene.writer.record(for: SharingScene.shared("milk"))
            func change(_ user: String, _ permission: Share.ParticipantPermission) async throws {
                try await scene.change {
                    $0.addParticipant(Share.Participant(userRecordName: user, permission: permission))
                }
            }
            try await change("_cleo", .readOnly)
            try await change("_ben", .readWrite)
            try await expectError(.permissionFailure) { try await scene.writer.save(milk.with(["number": 7])) }
            try await scene.reader.save(milk.with(["number": 8]))
            try await change("_ben", .none)
            try await scene.expectNothing(scene.ben)
        },
        ConformanceRule(
            .sharing, "administrators change the share, and other participants do not",
            law:
                "A participant with the role administrator and write permission adds and removes participants, but not the owner.",
            source: .cloudKit("CKShareParticipant.h, role")
        ) { world in
            let scene = try await world.sharedScene()
            var share = try await scene.writer.share(forZoneWith: SharingScene.sharedID)
            share.addParticipant(Share.Participant(userRecordName: "_dora"))
            try await expectError(.permissionFailure) { [share] in try await scene.writer.save(share) }
            try await scene.change {
                $0.addParticipant(
                    Share.Participant(userRecordName: "_cleo", permission: .readWrite, role: .administrator))
            }
            share = try await scene.writer.share(forZoneWith: SharingScene.sharedID)
            share.addParticipant(Share.Participant(userRecordName: "_dora"))
            for participant in share.participants where participant.userRecordName == "_ben" {
                share.removeParticipant(participant)
            }
            share = try await scene.writer.save(share)
            try expect("The share's ID", share.recordID, equals: SharingScene.sharedShareID)
            try expect(
                "The participants", share.participants.map(\.userRecordName), equals: ["_anna", "_cleo", "_dora"])
            try await scene.expectNothing(scene.ben)
            try await scene.dora.accept(share)
            _ = try await scene.dora.sharedDatabase.record(for: SharingScene.shared("milk"))
        },
        ConformanceRule(
            .sharing, "zones of several owners are apart, also with one name",
            law: "Records of one name in zones of one name are told apart by the owner, also in one request.",
            source: .cloudKit("CKRecordZone.ID, ownerName")
        ) { world in
            let scene = try await world.sharedScene()
            let other = try await scene.shareZoneOfDora()
            let owner = scene.dora.privateDatabase
            try expect(
                "The zones", try await scene.writer.allRecordZones().map(\.zoneID),
                equals: [SharingScene.sharedID, other])
            let ids = [
                SharingScene.shared("milk"), RecordID(recordName: "milk", zoneID: other), SharingScene.shared("none"),
            ]
            let found = try await scene.writer.records(for: ids)
            try expect(
                "The names", try ids.prefix(2).map { try found[$0]?.get()["name"] as String? },
                equals: ["milk", "other"])
            try expect("The missing record", found[ids[2]]?.code, equals: .unknownItem)
            let saved = try await scene.writer.saveAll(
                try ids.prefix(2).map { try require(found[$0], "A record").get().with(["name": "new"]) })
            try expect("The saved IDs", saved.map(\.recordID), equals: Array(ids.prefix(2)))
            try expect("Anna's item", try await scene.own.record(for: SharingScene.own("milk"))["name"], equals: "new")
            try expect("Dora's item", try await owner.record(for: SharingScene.own("milk"))["name"], equals: "new")
            try await SharingScene.expectUnreachable(other, in: scene.reader)
        },
        ConformanceRule(
            .sharing, "a participant's batch and transaction are atomic, in the zones of one owner",
            law:
                "A failed record leaves an atomic batch of a shared zone unchanged, and a transaction notices changes of what it has read.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            let milk = try await scene.writer.record(for: SharingScene.shared("milk"))
            let stale = try await scene.writer.record(for: SharingScene.shared("bread"))
            try await scene.own.save(try await scene.own.record(for: SharingScene.own("bread")).with(["number": 4]))
            let failures = try await scene.writer.failures(saving: [
                milk.with(["number": 5]), stale.with(["number": 6]),
            ])
            try expect("The item's failure", failures[milk.recordID]?.code, equals: .batchRequestFailed)
            try expect("The number", try await scene.own.record(for: SharingScene.own("milk"))["number"], equals: 2)
            try await scene.writer.transaction { transaction in
                let query = Query(recordType: "Items")
                let sum = try await transaction.allRecords(matching: query, inZoneWith: SharingScene.sharedID)
                    .reduce(0) { $0 + $1["number", default: 0] }
                try transaction.save(milk.with(["number": sum]))
            }
            try expect("The sum", try await scene.own.record(for: SharingScene.own("milk"))["number"], equals: 6)
            try await expectError(.partialFailure, naming: ["permissionFailure"]) {
                try await scene.reader.transaction { transaction in
                    let record = try await transaction.record(for: milk.recordID)
                    try transaction.save(record.with(["name": "x"]))
                }
            }
            try await expectError(.zoneNotFound) {
                try await scene.writer.transaction { transaction in
                    _ = try await transaction.record(for: SharingScene.shared("milk"))
                    _ = try await transaction.record(
                        for: RecordID(
                            recordName: "letter", zoneID: RecordZone.ID(zoneName: "Secrets", ownerName: "_anna")))
                }
            }
        },
        ConformanceRule(
            .sharing, "unique values give no sign of records that are not shared",
            law:
                "A participant sets no values of unique fields, because a refusal would reveal the owner's other records.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            var schema = Schema()
            schema["Items"] = .init(fields: ["name": .init(.string)], uniqueKeys: [["name"]])
            try await scene.own.apply(schema)
            let milk = try await scene.writer.record(for: SharingScene.shared("milk"))
            for name in ["letter", "free"] {
                try await expectError(.permissionFailure) { try await scene.writer.save(milk.with(["name": name])) }
            }
            try await scene.writer.save(milk.with(["number": 3]))
        },
        ConformanceRule(
            .sharing, "a batch in zones of two owners saves assets in both",
            law:
                "A batch saves one asset for two owners, new or fetched, and no record twice, although each has a database.",
            source: .cabinet("Sharing"), abilities: [.assets]
        ) { world in
            let scene = try await world.sharedScene()
            let other = try await scene.shareZoneOfDora()
            // The checksum of the second one is not known before it is sent.
            for bytes in [AssetSamples.bytes(2000), AssetSamples.bytes(3 << 20, seed: 2)] {
                let asset = Asset(data: bytes)
                let ids = [SharingScene.sharedID, other].map { RecordID(recordName: "\(bytes.count)", zoneID: $0) }
                let saved = try await scene.writer.saveAll(
                    ids.map { Record(recordType: "Notes", recordID: $0).with(["file": asset]) })
                for record in saved { try await expectBytes(try record.asset(), bytes) }
            }
            let bytes = AssetSamples.bytes(2000, seed: 3)
            try await scene.own.save(
                Record(recordType: "Notes", recordID: SharingScene.own("note")).with(["file": Asset(data: bytes)]))
            let note = try await scene.writer.record(for: SharingScene.shared("note"))
            let copy = Record(recordType: "Notes", recordID: RecordID(recordName: "copy", zoneID: other))
                .with(["file": try note.asset()])
            let saved = try await scene.writer.saveAll([note.with(["title": "Anna's"]), copy])
            for record in saved { try await expectBytes(try record.asset(), bytes) }
            try expect(
                "The title", try await scene.own.record(for: SharingScene.own("note"))["title"], equals: "Anna's")
        },
        ConformanceRule(
            .sharing, "a batch in zones of two owners is sent once to databases that lack a deployed schema",
            law: "The databases of all owners get a deployed schema before the first one is changed.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.sharedScene()
            let other = try await scene.shareZoneOfDora()
            var schema = Schema()
            let types: [String: FieldType] = ["name": .string, "number": .int64, "list": .reference, "extra": .string]
            for (key, type) in types { schema["Items"][key] = .init(type) }
            try await scene.anna.publicDatabase.apply(schema)
            let cleo = try world.container(
                account: Account(userRecordName: "_cleo"), schema: .deployed(in: .public))
            let milk = try await cleo.sharedDatabase.record(for: SharingScene.shared("milk"))
            let tea = Record(recordType: "Items", recordID: RecordID(recordName: "tea", zoneID: other))
            let saved = try await cleo.sharedDatabase.saveAll([milk.with(["number": 9]), tea.with(["extra": "x"])])
            try expect("The IDs", saved.map(\.recordID), equals: [milk.recordID, tea.recordID])
            try expect("The number", try await scene.own.record(for: SharingScene.own("milk"))["number"], equals: 9)
        },
    ]
}

extension SharingScene {
    /// Shares another user's zone of the same name with the writer, and returns its ID.
    fileprivate func shareZoneOfDora() async throws -> RecordZone.ID {
        let owner = dora.privateDatabase
        try await owner.save(RecordZone(zoneID: Self.zoneID))
        try await owner.save(Record(recordType: "Items", recordID: Self.own("milk")).with(["name": "other"]))
        var share = Share(recordZoneID: Self.zoneID)
        share.addParticipant(Share.Participant(userRecordName: "_cleo", permission: .readWrite))
        try await cleo.accept(try await owner.save(share))
        return RecordZone.ID(zoneName: "Lists", ownerName: "_dora")
    }
}
