import Cabinet
import CabinetTesting

extension ConformanceRule {
    /// The retention of deletions of zones.
    static let zoneRemovals: [ConformanceRule] = [
        ConformanceRule(
            .changes, "old deletions of zones are forgotten",
            law:
                "Beyond the retention, deletions of zones are forgotten. A token of the database from before is changeTokenExpired; later ones are valid.",
            source: .cloudKit("CKError.h, changeTokenExpired")
        ) { world in
            let database = try world.container(changeRetention: ChangeRetention(count: 2)).privateDatabase
            let zones = ["A", "B", "C", "D", "E"].map { RecordZone(zoneName: $0) }
            for zone in zones { try await database.save(zone) }
            var tokens = [try await database.databaseChanges(since: nil).changeToken]
            for zone in zones.prefix(4) {
                try await database.deleteRecordZone(withID: zone.zoneID)
                tokens.append(try await database.databaseChanges(since: nil).changeToken)
            }
            for token in tokens.prefix(2) {
                try await expectError(.changeTokenExpired) { try await database.databaseChanges(since: token) }
            }
            _ = try await database.expectChanges(since: tokens[2], ["-C", "-D"])
            for zone in [zones[0], zones[3]] { try await database.save(zone) }
            _ = try await database.expectChanges(since: tokens[2], ["+A", "+D", "-C", "-D"])
            _ = try await database.expectChanges(since: nil, ["+A", "+D", "+E"])
        },
        ConformanceRule(
            .changes, "deletions of zones are forgotten by age",
            law:
                "Deletions of zones older than the retention's age are forgotten when a zone is deleted, and younger ones are not.",
            source: .cabinet("change feed")
        ) { world in
            let retention = ChangeRetention(age: 100, count: 4)
            let database = try world.container(changeRetention: retention).privateDatabase
            let zones = ["A", "B", "C"].map { RecordZone(zoneName: $0) }
            for zone in zones { try await database.save(zone) }
            let first = try await database.databaseChanges(since: nil).changeToken
            try await database.deleteRecordZone(withID: zones[0].zoneID)
            world.clock.advance(by: 99)
            try await database.deleteRecordZone(withID: zones[1].zoneID)
            let token = try await database.expectChanges(since: first, ["-A", "-B"])
            world.clock.advance(by: 50)
            try await database.deleteRecordZone(withID: zones[2].zoneID)
            try await expectError(.changeTokenExpired) { try await database.databaseChanges(since: first) }
            _ = try await database.expectChanges(since: token, ["-C"])
        },
        ConformanceRule(
            .changes, "a zone that is deleted again counts once",
            law: "Of the deletions of one zone, the last is reported and counted, however often it was created again.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.container(changeRetention: ChangeRetention(count: 2)).privateDatabase
            let zones = ["A", "B"].map { RecordZone(zoneName: $0) }
            for zone in zones { try await database.save(zone) }
            let token = try await database.databaseChanges(since: nil).changeToken
            try await database.deleteRecordZone(withID: zones[1].zoneID)
            for _ in 0..<3 {
                try await database.deleteRecordZone(withID: zones[0].zoneID)
                try await database.save(zones[0])
            }
            _ = try await database.expectChanges(since: token, ["+A", "-A", "-B"])
        },
        ConformanceRule(
            .batches, "a transaction notices a deletion of a zone that is forgotten",
            law:
                "If a zone that was queried is deleted and created again, the closure runs again, also if the deletion is forgotten by then.",
            source: .cabinet("Database.transaction")
        ) { world in
            let database = try world.privateDatabase()
            let other = try world.container(changeRetention: ChangeRetention(count: 1)).privateDatabase
            let zones = ["A", "B"].map { RecordZone(zoneName: $0) }
            for zone in zones { try await database.save(zone) }
            let id = RecordID(recordName: "a", zoneID: zones[0].zoneID)
            try await database.save(Record(recordType: "Items", recordID: id))
            var counts: [Int] = []
            try await database.transaction { t in
                let found = try await t.allRecords(matching: Query(recordType: "Items"), inZoneWith: id.zoneID)
                if counts.isEmpty {
                    for zone in zones { try await other.deleteRecordZone(withID: zone.zoneID) }
                    try await other.save(zones[0])
                }
                counts.append(found.count)
                try t.save(Record("Counts", "count", ["number": found.count]))
            }
            try expect("The numbers of found records", counts, equals: [1, 0])
        },
    ]
}
