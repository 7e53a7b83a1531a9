import Cabinet
import CabinetTesting
import CabinetTools
import Foundation

extension ConformanceRule {
    /// Requirements of a copy for the stores that it reads and writes.
    static let copying: [ConformanceRule] = [
        ConformanceRule(
            .copying, "a database can be copied into another store",
            law: "A copy in memory holds the content of the database: schema, zones, records, subscriptions, assets.",
            source: .cabinet("copying"), abilities: [.assets]
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveCopyingSample()
            let target = MemoryBackend()
            let copy = DatabaseCopy(of: .sample, from: world.backend, to: target)
            try await copy.catchUp()
            try await database.changeCopyingSample()
            let content = try await copy.finish().content
            try expect("The number of records", content.recordCount, equals: 9)
            try await expectCopy(in: try world.privateDatabase(on: target), of: database)
        },
        ConformanceRule(
            .copying, "a database can be copied from another store",
            law: "A copy of a database in memory holds the content of the original, also after a second pass.",
            source: .cabinet("copying"), abilities: [.assets]
        ) { world in
            let source = MemoryBackend()
            let database = try world.privateDatabase(on: source)
            try await database.saveCopyingSample()
            let copy = DatabaseCopy(of: .sample, from: source, to: world.backend)
            try await copy.catchUp()
            try await database.changeCopyingSample()
            let content = try await copy.finish().content
            try expect("The number of records", content.recordCount, equals: 9)
            try await expectCopy(in: try world.privateDatabase(), of: database)
        },
        ConformanceRule(
            .copying, "a copy keeps an asset that moves to another record",
            law:
                "When a record loses an asset, by an update or a deletion, and another one gets it, the next pass keeps its bytes.",
            source: .cabinet("copying"), abilities: [.assets]
        ) { world in
            let source = MemoryBackend()
            let (old, new) = (try world.privateDatabase(on: source), try world.privateDatabase())
            let bytes = ["deleted", "changed", "retyped"].map { Data($0.utf8) }
            let records = try await old.saveAll([
                Record("Notes", "a", ["file": Asset(data: bytes[0])]),
                Record("Notes", "b", ["file": Asset(data: bytes[1])]),
                Record("Notes", "c", ["file": Asset(data: bytes[2])]),
            ])
            let copy = DatabaseCopy(of: .sample, from: source, to: world.backend)
            try await copy.catchUp()
            try await old.deleteAll(["a", "c"])
            try await old.saveAll([
                Record("Notes", "d", ["file": Asset(data: bytes[0])]),
                records[1].with(["file": nil]), Record("Notes", "e", ["files": [Asset(data: bytes[1])]]),
                Record("Pages", "c", ["file": Asset(data: bytes[2])]),
            ])
            let report = try await copy.finish()
            try expect("The number of assets", report.content.assetCount, equals: 3)
            // The copy already has the bytes.
            try expect("The number of assets that were copied again", report.copied.assets, equals: 0)
            for (name, key, bytes) in [("d", "file", bytes[0]), ("c", "file", bytes[2])] {
                try await expectBytes(try await new.fetch(name).asset(key), bytes)
            }
            let files = try require(try await new.fetch("e")["files"] as? [Asset], "The list of assets")
            try expect("The number of elements", files.count, equals: 1)
            for file in files { try await expectBytes(file, bytes[1]) }
        },
        ConformanceRule(
            .copying, "clients continue with a copy",
            law: "A copy accepts records with the tags of the original, and refuses its change tokens as expired.",
            source: .cabinet("copying"), abilities: [.assets]
        ) { world in
            let source = MemoryBackend()
            let (old, new) = (try world.privateDatabase(on: source), try world.privateDatabase())
            let stale = try await old.save(Record("Items", "a", ["number": 1]))
            let current = try await old.save(stale.with(["number": 2]))
            let zoneToken = try await old.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            let token = try await old.databaseChanges(since: nil).changeToken
            try await DatabaseCopy(of: .sample, from: source, to: world.backend).finish()
            try await expectError(.changeTokenExpired) {
                try await new.recordZoneChanges(inZoneWith: .default, since: zoneToken)
            }
            try await expectError(.changeTokenExpired) { try await new.databaseChanges(since: token) }
            let first = try await new.recordZoneChanges(inZoneWith: .default, since: nil)
            try expect("The records", first.modificationResultsByID.keys.map(\.recordName), equals: ["a"])
            let saved = try await new.save(current.with(["number": 3]))
            try await expectError(.serverRecordChanged) { try await new.save(stale.with(["number": 4])) }
            let next = try await new.recordZoneChanges(inZoneWith: .default, since: first.changeToken)
            try expect(
                "The change", try next.modificationResultsByID[saved.recordID]?.get().record.recordChangeTag,
                equals: saved.recordChangeTag)
        },
    ]
}

extension ConformanceWorld {
    /// The private database of the account in another store.
    fileprivate func privateDatabase(on backend: any StorageBackend) throws -> Database {
        try Container(
            identifier: "com.example.conformance", backend: backend, account: Self.account, now: clock.now
        ).privateDatabase
    }
}

extension DatabaseKey {
    /// The database of ``ConformanceWorld/privateDatabase()``.
    fileprivate static let sample = DatabaseKey.private(owner: ConformanceWorld.account.userRecordName)
}

extension Database {
    private static var zoneID: RecordZone.ID { RecordZone.ID(zoneName: "Home") }

    /// Saves an item of every kind.
    fileprivate func saveCopyingSample() async throws {
        try await apply(
            Schema(recordTypes: [
                "Items": Schema.RecordType(fields: ["number": Schema.Field(.int64, [.queryable, .sortable])])
            ]))
        try await save(RecordZone(zoneID: Self.zoneID))
        var records = (0..<6).map { (number: Int) in Record("Items", "r\(number)", ["number": number]) }
        for index in 1..<6 {
            records[index]["first"] = Reference("r0", .deleteSelf)
            records[index].setParent(.named("r0"))
        }
        records[1]["text"] = "e\u{301}\u{0}"
        records[2]["numbers"] = [0.1, -.infinity]
        records[3]["file"] = Asset(data: AssetSamples.bytes(70_000))
        records[4]["file"] = Asset(data: AssetSamples.bytes(10))
        try await saveAll(records)
        try await saveAll(
            (0..<4).map { Record(recordType: "Items", recordID: RecordID(recordName: "r\($0)", zoneID: Self.zoneID)) })
        try await save(
            QuerySubscription(recordType: "Items", subscriptionID: "s", options: [.firesOnRecordDeletion]))
    }

    /// Changes, adds and removes some items.
    fileprivate func changeCopyingSample() async throws {
        try await save(try await fetch("r1").with(["number": nil, "more": 1]))
        try await save(try await fetch("r3").with(["file": Asset(data: AssetSamples.bytes(20, seed: 3))]))
        try await deleteAll(["r4", "r5"])
        try await save(Record("Lists", "r5"))
    }
}

/// Throws unless a database holds the content of another one.
private func expectCopy(in copy: Database, of original: Database) async throws {
    try expect("The schema", try await copy.schema(), equals: try await original.schema())
    try expect("The zones", try await copy.allRecordZones(), equals: try await original.allRecordZones())
    try expect(
        "The subscriptions", try await copy.allSubscriptions(), equals: try await original.allSubscriptions())
    for recordType in ["Items", "Lists"] {
        let query = Query(recordType: recordType, sortedBy: [Sort("number")])
        let records = try await copy.allRecords(matching: query)
        let originals = try await original.allRecords(matching: query)
        try expect("The records", records, equals: originals)
        try expect(
            "The change tags", records.map(\.recordChangeTag), equals: originals.map(\.recordChangeTag))
        try expect("The dates", records.map(\.modificationDate), equals: originals.map(\.modificationDate))
        try expect("The parents", records.map(\.parent), equals: originals.map(\.parent))
    }
    let file = try await copy.fetch("r3").asset()
    try await expectBytes(file, AssetSamples.bytes(20, seed: 3))
}
