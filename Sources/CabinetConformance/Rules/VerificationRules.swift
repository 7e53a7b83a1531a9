import Cabinet
import CabinetTools
import Foundation

extension ConformanceRule {
    /// The findings of a verification, and the effect of a repair.
    static let verification: [ConformanceRule] = [
        ConformanceRule(
            .verification, "a saved store verifies clean",
            law: "In a store that only Cabinet has written, verification reads everything and finds nothing.",
            source: .cabinet("Verification")
        ) { world in
            try await world.fill()
            let report = try await world.container().verify()
            try expect("The findings", report.findings.map(\.description), equals: [])
            try expect(report.isClean, "The report is not clean.")
            let counts = report.counts
            try expect("The records", counts.records, equals: 58)
            try expect("The references", counts.references, equals: 29 + 28 + 10)
            try expect("The zones", counts.zones >= 3, equals: true)
            // The schema also applies to the public database.
            try expect("The indexes", counts.indexes, equals: 12)
            try expect("The changes", counts.changes, equals: 58 + 2)
            try expect("The subscriptions", counts.subscriptions, equals: 2)
        },
        ConformanceRule(
            .verification, "stored assets verify clean",
            law: "Verification reads all bytes of every asset once, and finds the stored bytes.",
            source: .cabinet("Verification"), abilities: [.assets]
        ) { world in
            let database = try world.privateDatabase()
            let parts = [0, 1, 70_000].map { AssetSamples.bytes($0) }
            try await database.save(Record("Notes", "a", ["files": parts.map(Asset.init(data:))]))
            try await database.save(Record("Notes", "b", ["file": Asset(data: parts[2])]))
            let report = try await world.container().verify()
            try expect("The findings", report.findings.map(\.description), equals: [])
            try expect("The assets", report.counts.assets, equals: 3)
            try expect("The bytes", report.counts.bytes, equals: 70_001)
        },
        ConformanceRule(
            .verification, "a repair does not change a healthy store",
            law: "A repair of a healthy store finds nothing and changes nothing, and neither does a second one.",
            source: .cabinet("Verification")
        ) { world in
            try await world.fill()
            let before = try await world.content()
            for _ in 1...2 {
                let report = try await world.container().verify(repairing: true)
                try expect("The findings", report.findings.map(\.description), equals: [])
            }
            try expect("The content after two repairs", try await world.content(), equals: before)
        },
        ConformanceRule(
            .verification, "rebuilding indexes changes no answer",
            law: "After indexes were rebuilt, every record, query, reference and change is found as before.",
            source: .storage("StorageMaintenance.rebuildIndexes(of:)"), abilities: [.maintenance]
        ) { world in
            let maintenance = try require(world.backend.abilities.maintenance, "The ability to rebuild indexes")
            try await world.fill()
            let before = try await world.content()
            try await maintenance.rebuildIndexes(of: .private(owner: "_anna"))
            try expect("The content", try await world.content(), equals: before)
            let report = try await world.container().verify()
            try expect("The findings", report.findings.map(\.description), equals: [])
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "new", ["name": "item 1000", "number": 1000]))
            try expect(
                "A new record", try await database.names(where: .text("1000")), equals: ["new"])
        },
        ConformanceRule(
            .verification, "an undamaged store has no integrity issues",
            law: "In a database that only the protocol's calls have changed, or none has, the store finds no issues.",
            source: .storage("StorageMaintenance.issues(in:limit:)"), abilities: [.maintenance]
        ) { world in
            let maintenance = try require(world.backend.abilities.maintenance, "The ability to find integrity issues")
            let key = DatabaseKey.private(owner: "_anna")
            try expect("Integrity issues", try await maintenance.issues(in: key, limit: 10), equals: [])
            try await world.fill()
            try expect("Integrity issues", try await maintenance.issues(in: key, limit: 10), equals: [])
        },
    ]
}

extension ConformanceWorld {
    /// Fills the account's private database with items of every kind, and deletes some of them.
    fileprivate func fill() async throws {
        let container = try container()
        let database = container.privateDatabase
        var schema = Schema()
        schema["Items"]["name"] = .init(.string, [.queryable, .sortable, .searchable])
        schema["Items"]["number"] = .init(.int64, .sortable)
        schema["Items"]["at"] = .init(.location, .queryable)
        schema["Items"].indexes = [["name", "number"]]
        try await container.apply(schema)
        let work = RecordZone.ID(zoneName: "Work")
        try await database.save(RecordZone(zoneID: work))
        try await database.save(RecordZone(zoneName: "Gone"))
        _ = try await container.userRecordID()
        try await database.save(DatabaseSubscription(subscriptionID: "all"))
        try await database.save(
            QuerySubscription(
                recordType: "Items", filter: .field("number") > 3, subscriptionID: "some",
                options: [.firesOnRecordCreation, .firesOnRecordDeletion]))
        for zone in [RecordZone.ID.default, work] {
            let lists = (0..<15).map {
                Record(recordType: "Lists", recordID: RecordID(recordName: "list \($0)", zoneID: zone))
            }
            let items = (0..<15).map { index in
                var item = Record(recordType: "Items", recordID: RecordID(recordName: "item \(index)", zoneID: zone))
                item["name"] = index % 5 == 0 ? nil : "Item \(index), \"quoted\""
                item["number"] = index
                item["list"] = Reference(record: lists[index], action: index % 2 == 0 ? .deleteSelf : .nullify)
                item["others"] = (0..<index % 3).map { Reference(record: lists[$0], action: .nullify) }
                item["at"] = Location(latitude: Double(index), longitude: Double(-index) / 3)
                item["due"] = Date(timeIntervalSinceReferenceDate: Double(index) / 7)
                item["bytes"] = Data(repeating: 7, count: index)
                if index % 3 == 0 { item.setParent(lists[index]) }
                return item
            }
            try await database.saveAll(lists + items)
        }
        try await database.deleteRecord(withID: RecordID(recordName: "list 14", zoneID: work))
        try await database.deleteRecordZone(withID: RecordZone.ID(zoneName: "Gone"))
        var record = try await database.fetch("item 3")
        record["name"] = "changed"
        try await database.save(record)
    }

    /// The content of the account's private database, read in several ways.
    fileprivate func content() async throws -> [String] {
        let database = try privateDatabase()
        var content: [String] = []
        for type in ["Items", "Lists"] {
            for record in try await database.allRecords(matching: Query(recordType: type)) {
                content.append("\(record.recordID) \(record.recordChangeTag ?? "") \(record)")
            }
        }
        content += try await database.names(where: .text("item"), by: [Sort("name"), Sort("number")])
        for zone in try await database.allRecordZones().map(\.zoneID.zoneName).sorted() {
            let changes = try await database.recordZoneChanges(
                inZoneWith: RecordZone.ID(zoneName: zone), since: nil)
            content += changes.modificationResultsByID.keys.map { "\($0)" }.sorted()
            content += changes.deletions.map { "\($0.recordID) was deleted" }.sorted()
        }
        return content
    }
}
