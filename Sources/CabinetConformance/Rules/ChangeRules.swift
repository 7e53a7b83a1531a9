import Cabinet
import Foundation

extension ConformanceRule {
    /// The changes of a zone.
    static let changes: [ConformanceRule] = [
        ConformanceRule(
            .changes, "a token yields the changes since it",
            law:
                "The changes since a token are the records saved and deleted since, each once, in their current state.",
            source: .cloudKit("CKFetchRecordZoneChangesOperation.h")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Items", "a"), Record("Items", "b"), Record("Lists", "c")])
            var device = Device(database)
            try expect("Known at first", try await device.update(), equals: ["+a", "+b", "+c"])
            try expect("Without a change", try await device.update(), equals: [])
            for number in 1...3 { try await database.update(.named("a")) { $0["number"] = number } }
            try await database.save(Record("Items", "d"))
            try await database.deleteRecord(withID: .named("b"))
            try await database.save(Record("Items", "short"))
            try await database.deleteRecord(withID: .named("short"))
            try expect("The changes", try await device.update(), equals: ["+a", "+d", "-b", "-short"])
            try expect("The record", device.records[.named("a")]?["number"] as? Int, equals: 3)
            try await expectSame(device, database)
        },
        ConformanceRule(
            .changes, "a batch in several zones is reported zone by zone",
            law:
                "The zones that one batch changes are on pages of the database's changes, and a page may end between them.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            var records = [Record("Items", "a")]
            for name in ["One", "Two", "Three"] {
                let zone = try await database.save(RecordZone(zoneName: name))
                records.append(Record(recordType: "Items", recordID: RecordID(recordName: "a", zoneID: zone.zoneID)))
            }
            var token = try await database.databaseChanges(since: nil).changeToken
            try await database.saveAll(records)
            var found: [String] = []
            while true {
                let page = try await database.databaseChanges(since: token, resultsLimit: 1)
                found += page.modifications.map(\.zoneID.zoneName)
                token = page.changeToken
                if !page.moreComing { break }
            }
            try expect("The changed zones", found.sorted(), equals: ["One", "Three", "Two", "_defaultZone"])
        },
        ConformanceRule(
            .changes, "a recreated record is not a deletion",
            law:
                "A record that was deleted and then saved again under its ID is a change, and no longer a deletion.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Items", "a"), Record("Items", "b")])
            var device = Device(database)
            try await device.update()
            try await database.deleteAll(["a", "b"])
            try await database.save(Record("Lists", "a"))
            try expect("The changes", try await device.update(), equals: ["+a", "-b"])
            try expect("The type", device.records[.named("a")]?.recordType, equals: "Lists")
            try await database.deleteRecord(withID: .named("a"))
            try expect("The changes", try await device.update(), equals: ["-a"])
        },
        ConformanceRule(
            .changes, "deletions have the record's type",
            law: "A deletion has the ID and the type of the deleted record.",
            source: .cloudKit("CKFetchRecordZoneChangesOperation.h, recordWithIDWasDeletedBlock")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Items", "a"), Record("Lists", "b")])
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            try await database.deleteAll(["a", "b"])
            let deletions = try await database.recordZoneChanges(inZoneWith: .default, since: token).deletions
            let found = deletions.map { "\($0.recordID.recordName): \($0.recordType)" }.sorted()
            try expect("The deletions", found, equals: ["a: Items", "b: Lists"])
        },
        ConformanceRule(
            .changes, "without a token no deletions are reported",
            law: "Without a token the changes are the existing records, on any number of pages.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll((0..<9).map { Record("Items", "r\($0)") })
            try await database.deleteAll(["r1", "r5"])
            for size in [1, 2, 3, 400] {
                var device = Device(database, pageSize: size)
                let found = try await device.update()
                try expect("The changes", found, equals: ["+r0", "+r2", "+r3", "+r4", "+r6", "+r7", "+r8"])
            }
        },
        ConformanceRule(
            .changes, "changes come in pages",
            law:
                "Pages hold at most the requested number, and together every change, also of records that change between pages.",
            source: .cloudKit("CKDatabase, recordZoneChanges")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll((0..<7).map { Record($0 % 2 == 0 ? "Items" : "Lists", "r\($0)") })
            var token: ServerChangeToken?
            var known: Set<String> = []
            var sizes: [Int] = []
            var isMoreComing = true
            while isMoreComing {
                let page = try await database.recordZoneChanges(
                    inZoneWith: .default, since: token, resultsLimit: 3)
                known.formUnion(page.modificationResultsByID.keys.map(\.recordName))
                for deletion in page.deletions { known.remove(deletion.recordID.recordName) }
                sizes.append(page.modificationResultsByID.count + page.deletions.count)
                if token == nil {
                    try await database.deleteRecord(withID: .named("r0"))
                    try await database.update(.named("r6")) { $0["x"] = 1 }
                }
                (token, isMoreComing) = (page.changeToken, page.moreComing)
            }
            try expect("The records", known.sorted(), equals: ["r1", "r2", "r3", "r4", "r5", "r6"])
            try expect("The sizes of the pages", sizes, equals: [3, 3, 2])
            for limit in [0, -1] {
                try await expectError(.invalidArguments, naming: ["\(limit)"]) {
                    try await database.recordZoneChanges(inZoneWith: .default, since: nil, resultsLimit: limit)
                }
            }
        },
        ConformanceRule(
            .changes, "delete rules produce changes",
            law: "Records deleted by deleteSelf, and records that lose a reference by nullify, are among the changes.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "list"), Record("Items", "item", ["list": Reference("list", .deleteSelf)]),
                Record("Items", "note", ["list": Reference("list", .nullify)]), Record("Items", "other"),
            ])
            var device = Device(database)
            try await device.update()
            try await database.deleteRecord(withID: .named("list"))
            try expect("The changes", try await device.update(), equals: ["+note", "-item", "-list"])
            try expect("The reference", device.records[.named("note")]?.fieldValue("list"), equals: nil)
            try await expectSame(device, database)
        },
        ConformanceRule(
            .changes, "targets of references come first",
            law:
                "On a page, targets of references and parents come before the records that refer to them, except in cycles.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            var child = Record("Items", "child", ["self": Reference("child")])
            child.parent = Reference("parent")
            try await database.saveAll([
                child, Record("Items", "item", ["lists": [Reference("list")]]), Record("Lists", "list"),
                Record("Items", "parent", ["item": Reference("item", .deleteSelf)]),
                Record("Items", "x", ["other": Reference("y")]), Record("Items", "y", ["other": Reference("x")]),
            ])
            // The list becomes the last change.
            try await database.update(.named("list")) { $0["name"] = "List" }
            var order: [String] = []
            for try await page in database.recordZoneChangeSequence(inZoneWith: .default, since: nil) {
                order += page.modifications.map(\.record.recordID.recordName)
            }
            try expect("The number of records", order.count, equals: 6)
            let chain = order.filter { ["list", "item", "parent", "child"].contains($0) }
            try expect("The order", chain, equals: ["list", "item", "parent", "child"])
        },
        ConformanceRule(
            .changes, "changes have the desired fields",
            law: "With desired keys the changed records have these fields, and none with an empty array.",
            source: .cloudKit("CKFetchRecordZoneChangesOperation.h, desiredKeys")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["x": 1, "y": 2]))
            for (keys, expected) in [(["x"], ["x"]), ([], []), (["z"], [])] {
                let page = try await database.recordZoneChanges(inZoneWith: .default, since: nil, desiredKeys: keys)
                let record = try require(page.modificationResultsByID[.named("a")], "The record").get().record
                try expect("The fields", record.allKeys(), equals: expected)
            }
        },
        ConformanceRule(
            .changes, "a record that was fetched with a system field's key can be saved",
            law:
                "Desired keys that no field can have, such as those of system fields, add no field to the fetched records.",
            source: .cloudKit("CKFetchRecordsOperation.h, desiredKeys")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["x": 1]))
            let keys = ["x", "modificationDate", "recordID"]
            let fetched = try require(
                try await database.records(for: [.named("a")], desiredKeys: keys)[.named("a")], "The record"
            ).get()
            try await database.save(fetched.with(["x": 2]))
            let found = try await database.records(matching: Query(recordType: "Items"), desiredKeys: keys)
            let match = try require(found.matchResults.first?.1, "The match").get()
            try await database.save(match.with(["x": 3]))
            let page = try await database.recordZoneChanges(inZoneWith: .default, since: nil, desiredKeys: keys)
            let change = try require(page.modificationResultsByID[.named("a")], "The change").get().record
            try await database.save(change.with(["x": 4]))
            try expect("The value", try await database.fetch("a")["x"], equals: 4)
        },
        ConformanceRule(
            .changes, "a failed batch produces no changes",
            law: "A failure produces no changes, and a successful save is among the changes when it returns.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a"))
            var device = Device(database)
            try await device.update()
            _ = try await database.failures(saving: [Record("Items", "a"), Record("Items", "b")])
            try expect("The changes", try await device.update(), equals: [])
            try await database.deleteRecord(withID: .named("never"))
            try expect("The changes", try await device.update(), equals: [])
            try await database.save(Record("Items", "b"))
            try expect("The changes", try await device.update(), equals: ["+b"])
        },
        ConformanceRule(
            .changes, "user records are not changes",
            law: "User records are never reported among a zone's changes.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            let user = try await world.container().userRecordID()
            try await database.save(Record("Items", "a"))
            try await database.save(try await database.record(for: user).with(["nickname": "Anna"]))
            var device = Device(database)
            try expect("The changes", try await device.update(), equals: ["+a"])
        },
    ]
}

/// A device that keeps its copy up to date by changes alone.
struct Device {
    let database: Database
    let zoneID: RecordZone.ID
    let pageSize: Int?
    private(set) var token: ServerChangeToken?
    private(set) var records: [RecordID: Record] = [:]

    init(
        _ database: Database, zoneID: RecordZone.ID = .default, pageSize: Int? = nil, token: ServerChangeToken? = nil
    ) {
        self.database = database
        self.zoneID = zoneID
        self.pageSize = pageSize
        self.token = token
    }

    /// Applies the latest changes.
    ///
    /// - Returns: The names of saved records after a plus sign, and of deleted ones after a minus sign, in their order.
    @discardableResult
    mutating func update() async throws -> [String] {
        var changes: [String] = []
        let pages = database.recordZoneChangeSequence(inZoneWith: zoneID, since: token, pageSize: pageSize)
        for try await page in pages {
            for change in page.modifications {
                records[change.record.recordID] = change.record
                changes.append("+\(change.record.recordID.recordName)")
            }
            for change in page.deletions {
                records[change.recordID] = nil
                changes.append("-\(change.recordID.recordName)")
            }
            token = page.changeToken
        }
        return changes.sorted()
    }
}

/// Throws unless the device's copy equals the content of a database.
private func expectSame(_ device: Device, _ database: Database) async throws {
    var stored: [Record] = []
    for type in ["Items", "Lists"] {
        stored += try await database.allRecords(matching: Query(recordType: type), inZoneWith: device.zoneID)
    }
    let known = device.records.values.sorted { $0.recordID.recordName < $1.recordID.recordName }
    try expect(
        "The device's copy", known, equals: stored.sorted { $0.recordID.recordName < $1.recordID.recordName })
}
