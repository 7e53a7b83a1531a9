import Cabinet
import Foundation
import Synchronization

extension ConformanceRule {
    /// The records of hierarchies that participants see and change, and those that do not exist for them.
    static let hierarchyViews: [ConformanceRule] = [
        ConformanceRule(
            .sharing, "a participant of a hierarchy sees the share, the root and what is below it",
            law:
                "Every kind of request has the records of the hierarchy alone; a reference out of it keeps its ID, and its target does not exist.",
            source: .cloudKit("CKShare.h; CKRecord.h, parent")
        ) { world in
            let scene = try await world.hierarchyScene()
            let zoneID = SharingScene.sharedID
            try await scene.save("secret", "Secrets", below: nil)
            for database in [scene.reader, scene.writer] {
                try expect("The zones", try await database.allRecordZones().map(\.zoneID), equals: [zoneID])
                try expect("The records", try await scene.names(database), equals: SharingScene.covered)
                let share = try Share(try await database.record(for: SharingScene.shared("listShare")))
                try expect("The root", share.rootRecordID, equals: SharingScene.shared("list"))
                let list = try await database.record(for: SharingScene.shared("list"))
                try expect("The share", list.share?.recordID, equals: SharingScene.shared("listShare"))
                let bread = try await database.record(for: SharingScene.shared("bread"))
                try expect(
                    "The reference", bread["link"],
                    equals: Reference(recordID: SharingScene.shared("egg"), action: .none))
                try expect("The parent", bread.parent?.recordID, equals: SharingScene.shared("list"))
                func names(_ filter: String, sortedBy sort: [Sort] = ["name"]) async throws -> [String] {
                    let query = Query(recordType: "Items", filter: try Filter(filter), sortedBy: sort)
                    let found = try await database.allRecords(matching: query, inZoneWith: zoneID)
                    let count = try await database.count(matching: query, inZoneWith: zoneID)
                    try expect("The count of \(filter)", count, equals: found.count)
                    return found.map(\.recordID.recordName)
                }
                try expect("The items", try await names("TRUEPREDICATE"), equals: ["bread", "milk"])
                try expect("Large numbers", try await names("number > 2"), equals: ["bread"])
                try expect("Any number", try await names("number > 2 OR number > 30"), equals: ["bread"])
                try expect("A link to an egg", try await names("link.number > 4"), equals: [])
                try expect("A link to bread", try await names("link.number == 3 AND number < 9"), equals: ["milk"])
                try expect("No link", try await names("link.number == NULL"), equals: ["bread"])
                try expect(
                    "By links", try await names("TRUEPREDICATE", sortedBy: ["link.number"]), equals: ["bread", "milk"])
                try expect(
                    "Referred to", try await names("SUBQUERY(Items.link, $x, $x.number > 0).@count > 0"),
                    equals: ["bread"])
                try expect("Words", try await names("SELF CONTAINS 'milk diary'"), equals: ["milk"])
                let items = Query(recordType: "Items")
                let sum = try await database.sum(of: "number", matching: items, inZoneWith: zoneID, as: Int.self)
                try expect("The sum", sum, equals: 5)
                let maximum = try await database.maximum(of: "number", matching: items, inZoneWith: zoneID)
                try expect("The maximum", maximum as? Int, equals: 3)
                let groups = try await database.counts(by: "link.name", matching: items, inZoneWith: zoneID)
                try expect("The number of groups", groups.count, equals: 2)
                let page = try await database.records(matching: items, inZoneWith: zoneID, resultsLimit: 1)
                let rest = try await database.records(continuingMatchFrom: try require(page.queryCursor, "A cursor"))
                try expect("The second page", rest.matchResults.count, equals: 1)
                try expect("The last page", rest.queryCursor == nil, equals: true)
                let explanation = try await database.explain(items, inZoneWith: zoneID)
                try expect("The details", explanation.details, equals: [])
                var token: ServerChangeToken?
                try expect(
                    "The changes", try await scene.changes(database, since: &token),
                    equals: Set((SharingScene.covered + ["listShare"]).map { "+\($0)" }))
                let shares = try await database.allRecords(
                    matching: Query(recordType: Share.recordType), inZoneWith: zoneID)
                try expect("The shares", shares.map(\.recordID), equals: [SharingScene.shared("listShare")])
                try expect(
                    "The record types", Set(try await database.schema().recordTypes.keys),
                    equals: ["Items", "Lists", "Notes"])
            }
        },
        ConformanceRule(
            .sharing, "a record outside of a hierarchy does not exist for its participants",
            law:
                "Each request that names a record outside of the hierarchy has the result, and the words, of one that names no record.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.hierarchyScene()
            func outcome(_ name: String, _ body: (String) async throws -> String) async -> String {
                do {
                    return try await body(name)
                } catch {
                    return String(describing: error).replacing(name, with: "…")
                }
            }
            let writer = scene.writer
            let stale = try await scene.own.record(for: SharingScene.own("egg"))
            func requests() -> [(String) async throws -> String] {
                let reference: (String, Reference.Action) -> Reference = {
                    Reference(recordID: SharingScene.shared($0), action: $1)
                }
                func saving(
                    _ name: String, parent: String?, _ fields: KeyValuePairs<String, (any RecordValue)?> = [:],
                    _ policy: RecordSavePolicy = .allKeys
                ) async throws -> String {
                    var record = Record(recordType: "Items", recordID: SharingScene.shared(name)).with(fields)
                    record.setParent(parent.map(SharingScene.shared))
                    let results = try await writer.modifyRecords(
                        saving: [record], deleting: [], savePolicy: policy, atomically: false)
                    _ = try results.saveResults[record.recordID]?.get()
                    return "saved"
                }
                return [
                    { name in
                        let record: Record = try await writer.record(for: SharingScene.shared(name))
                        return record.description
                    },
                    { name in
                        try await writer.deleteRecord(withID: SharingScene.shared(name))
                        return "deleted"
                    },
                    { try await saving($0, parent: nil) },
                    { try await saving($0, parent: nil, [:], .ifServerRecordUnchanged) },
                    { try await saving("new", parent: $0) },
                    { try await saving("new", parent: "list", ["link": reference($0, .deleteSelf)]) },
                    { try await saving("new", parent: "list", ["link": reference($0, .nullify)]) },
                    { try await saving("milk", parent: $0) },
                    { name in
                        let found = try await writer.transaction { transaction in
                            try await transaction.records(for: [SharingScene.shared(name)])
                        }
                        return try found[SharingScene.shared(name)]?.get().description ?? "none"
                    },
                    { name in
                        let query = Query(
                            recordType: "Items", filter: try Filter("recordID == %@", reference(name, .none)))
                        return "\(try await writer.count(matching: query, inZoneWith: SharingScene.sharedID))"
                    },
                ]
            }
            let all = requests()
            for index in all.indices {
                let expected = await outcome("absent", all[index])
                for name in ["egg", "diary", "other"] {
                    try expect(
                        "Request \(index) about \(name)", await outcome(name, all[index]), equals: expected)
                }
            }
            try await scene.save("stranger", below: nil)
            try await expectError(.permissionFailure) {
                var record = Record(recordType: "Items", recordID: SharingScene.shared("stranger"))
                record.setParent(SharingScene.shared("list"))
                return try await writer.save(record)
            }
            try expect(
                "The egg", try await scene.own.record(for: SharingScene.own("egg")).recordChangeTag,
                equals: stale.recordChangeTag)
        },
        ConformanceRule(
            .sharing, "a participant saves below a shared record alone",
            law:
                "A save of a participant with write permission succeeds if the record's parent, stored or in the batch, is in the hierarchy.",
            source: .cloudKit("CKShare.h, permission; CKRecord.h, parent")
        ) { world in
            let scene = try await world.hierarchyScene()
            func new(_ name: String, below parent: String?) -> Record {
                var record = Record(recordType: "Items", recordID: SharingScene.shared(name)).with(["name": name])
                record.setParent(parent.map(SharingScene.shared))
                return record
            }
            try await scene.writer.saveAll([new("cup", below: "tea"), new("tea", below: "milk")])
            for name in ["tea", "cup"] {
                let saved = try await scene.reader.record(for: SharingScene.shared(name))
                try expect("The creator", saved.creatorUserRecordID?.recordName, equals: "_cleo")
                _ = try await scene.own.record(for: SharingScene.own(name))
            }
            for parent in [nil, "egg", "none"] {
                try await expectError(.permissionFailure) { try await scene.writer.save(new("lost", below: parent)) }
                try await expectError(.partialFailure) {
                    try await scene.writer.saveAll([new("lost", below: parent), new("lost2", below: "lost")])
                }
            }
            let milk = try await scene.writer.record(for: SharingScene.shared("milk"))
            try await scene.writer.save(milk.with(["number": 9]))
            let list = try await scene.writer.record(for: SharingScene.shared("list"))
            try await scene.writer.save(list.with(["name": "new"]))
            for database in [scene.reader] {
                for record in [new("lost", below: "milk"), new("lost", below: nil)] {
                    try await expectError(.permissionFailure) { try await database.save(record) }
                }
                let note = try await database.record(for: SharingScene.shared("note"))
                try await expectError(.permissionFailure) { try await database.save(note.with(["name": "x"])) }
                try await expectError(.permissionFailure) { try await database.deleteRecord(withID: note.recordID) }
            }
            let root = try await scene.writer.record(for: SharingScene.shared("milk"))
            try await expectError(.partialFailure) {
                try await scene.writer.modifyRecords(saving: [root, Share(rootRecord: root).record], deleting: [])
            }
            try await scene.dora.privateDatabase.save(RecordZone(zoneID: SharingScene.zoneID))
            try await expectError(.zoneNotFound) {
                try await scene.dora.sharedDatabase.save(new("lost", below: "milk"))
            }
        },
        ConformanceRule(
            .sharing, "a participant deletes below the root, and nothing outside",
            law:
                "A participant deletes a record below the root; the root, and a record whose deletion would affect one outside, only the owner.",
            source: .cloudKit("CKShare.h, deleting records")
        ) { world in
            let scene = try await world.hierarchyScene()
            func delete(_ name: String) async throws {
                try await scene.writer.deleteRecord(withID: SharingScene.shared(name))
            }
            try await expectError(.referenceViolation) { try await delete("milk") }
            try await expectError(.permissionFailure) { try await delete("list") }
            let actions: [(String, Reference.Action)] = [
                ("deleteSelf", .deleteSelf), ("nullify", .nullify), ("deny", .deny),
            ]
            for (name, action) in actions {
                try await scene.save("inside\(name)", below: "list")
                try await scene.save(
                    "outside\(name)", below: nil,
                    [
                        "link": Reference(recordID: SharingScene.own("inside\(name)"), action: action)
                    ])
                let error = try await expectError(.permissionFailure) { try await delete("inside\(name)") }
                try expect(!error.description.contains("outside"), "The error names a record outside: \(error)")
            }
            // A chain of records inside that ends outside.
            try await scene.save("chain", below: "list")
            var inside = try await scene.own.record(for: SharingScene.own("insidedeleteSelf"))
            inside["link"] = Reference(recordID: SharingScene.own("chain"), action: .deleteSelf)
            try await scene.own.save(inside)
            try await expectError(.permissionFailure) { try await delete("chain") }
            try await scene.save(
                "twin", below: "list",
                [
                    "link": Reference(recordID: SharingScene.own("bread"), action: .deleteSelf)
                ])
            try await delete("bread")
            for name in ["bread", "twin"] {
                try await expectError(.unknownItem) { try await scene.own.record(for: SharingScene.own(name)) }
            }
            try await delete("note")
            try await delete("milk")
            try await delete("egg")
            _ = try await scene.own.record(for: SharingScene.own("egg"))
            // The owner's deletions reach everything.
            try await scene.own.deleteRecord(withID: SharingScene.own("chain"))
            try await expectError(.unknownItem) {
                try await scene.own.record(for: SharingScene.own("outsidedeleteSelf"))
            }
        },
        ConformanceRule(
            .sharing, "a participant reads the assets of a hierarchy alone",
            law:
                "A participant reads the bytes of the hierarchy's assets, and of no other record's, also after a record has left.",
            source: .cloudKit("CKAsset.h"), abilities: [.assets]
        ) { world in
            let scene = try await world.hierarchyScene()
            let bytes = AssetSamples.bytes(2000)
            let secret = AssetSamples.bytes(2000, seed: 3)
            try await scene.save("photo", "Photos", below: "list", ["file": Asset(data: bytes)])
            let hidden = try await scene.save("secret", "Photos", below: nil, ["file": Asset(data: secret)])
            let photo = try await scene.reader.record(for: SharingScene.shared("photo"))
            try await expectBytes(try photo.asset(), bytes)
            let stolen = try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(hidden))
            var forged = Record(recordType: "Photos", recordID: SharingScene.shared("forged"))
                .with(["file": try stolen.asset()])
            forged.setParent(SharingScene.shared("list"))
            try await expectError(.assetNotAvailable) { [forged] in try await scene.writer.save(forged) }
        },
        ConformanceRule(
            .sharing, "a transaction of a participant reads and changes its hierarchy",
            law: "A participant's transaction notices changes within the hierarchy, and none outside of it.",
            source: .cabinet("Sharing")
        ) { world in
            let scene = try await world.hierarchyScene()
            let query = Query(recordType: "Items", filter: try Filter("number > 0"))
            func run(_ change: @escaping @Sendable () async throws -> Void) async throws -> Int {
                let runs = Mutex(0)
                try await scene.writer.transaction { transaction in
                    let found = try await transaction.allRecords(matching: query, inZoneWith: SharingScene.sharedID)
                    try expect(found.allSatisfy { $0["number", default: 0] < 40 }, "A record outside was found.")
                    let isFirst = runs.withLock { runs in
                        runs += 1
                        return runs == 1
                    }
                    if isFirst { try await change() }
                    let milk = try await transaction.record(for: SharingScene.shared("milk"))
                    try transaction.save(milk.with(["number": found.count]))
                }
                return runs.withLock { $0 }
            }
            let outside = try await run { try await scene.save("tea", below: "other", ["number": 60]) }
            try expect("The runs after a change outside", outside, equals: 1)
            let inside = try await run { try await scene.save("cup", below: "list", ["number": 6]) }
            try expect("The runs after a change inside", inside, equals: 2)
            try expect("The number", try await scene.own.record(for: SharingScene.own("milk"))["number"], equals: 3)
        },
    ]
}
