import Cabinet
import Foundation

extension ConformanceRule {
    /// Observed queries with a limit.
    static let firstRecords: [ConformanceRule] = [
        ConformanceRule(
            .observation, "an observed query with a limit reports its first records",
            law:
                "The first records of the order are reported: one that enters pushes the last one out, and the next one follows one that leaves.",
            source: .cabinet("Database.observe(limit:)")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll((1...9).map { Record("Items", "r\($0)", ["x": 10 * $0]) })
            var states = try ObservationProbe(database, Self.ordered, limit: 3)
            try await states.expectNext(["r1", "r2", "r3"])
            try await database.save(Record("Items", "new", ["x": 15]))
            try await states.expectNext(["r1", "new", "r2"])
            try await database.update(.named("r1")) { $0["x"] = 35 }
            try await states.expectNext(["new", "r2", "r3"])
            try await database.deleteAll(["new", "r2", "r3"])
            try await states.expectNext(["r1", "r4", "r5"])
            try await database.update(.named("r9")) { $0["x"] = 1 }
            try await states.expectNext(["r9", "r1", "r4"])
            try await database.deleteAll(["r1", "r4", "r5", "r6"])
            try await states.expectNext(["r9", "r7", "r8"])
            try await database.deleteAll(["r7"])
            try await states.expectNext(["r9", "r8"])
            try await database.update(.named("r8")) { $0["x"] = -1 }
            try await states.expectNext(["r9"])
            try await database.saveAll((1...7).map { Record("Items", "s\($0)", ["x": 2]) })
            try await states.expectNext(["r9", "s1", "s2"])
            try await database.deleteAll(["r9", "s1", "s2", "s3", "s4"])
            try await states.expectNext(["s5", "s6", "s7"])
        },
        ConformanceRule(
            .observation, "changes behind the first records are not reported",
            law: "A commit that changes only records behind the limit produces no state.",
            source: .cabinet("Database.observe(limit:)")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll((1...9).map { Record("Items", "r\($0)", ["x": 10 * $0]) })
            var states = try ObservationProbe(database, Self.ordered, limit: 2)
            try await states.expectNext(["r1", "r2"])
            try await database.deleteAll(["r1"])
            try await states.expectNext(["r2", "r3"])
            try await database.save(Record("Items", "new", ["x": 35]))
            try await database.update(.named("r4")) { $0["note"] = "n" }
            try await database.update(.named("r9")) { $0["x"] = 31 }
            try await database.deleteAll(["r5", "new"])
            try await database.update(.named("r3")) { $0["x"] = 5 }
            try await states.expectNext(["r3", "r2"])
            try await database.update(.named("r3")) { $0["x"] = 100 }
            try await states.expectNext(["r2", "r9"])
        },
        ConformanceRule(
            .observation, "first records follow key paths and zones",
            law: "The first records of an order by a key path are observed, and deleted zones are left out.",
            source: .cabinet("Database.observe(limit:)")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            try await database.save(zone)
            try await database.saveAll([
                Record("Lists", "one", ["name": "a"]), Record("Lists", "two", ["name": "b"]),
                Record("Items", "x", ["list": Reference("one")]), Record("Items", "y", ["list": Reference("two")]),
            ])
            var first = try ObservationProbe(
                database, Query(recordType: "Items", sortedBy: ["list.name", "recordID"]), limit: 1)
            try await first.expectNext(["x"])
            try await database.update(.named("one")) { $0["name"] = "c" }
            try await first.expectNext(["y"])
            let trips = (1...6).map { (number: Int) in
                let zoneID = number < 4 ? zone.zoneID : .default
                return Record(recordType: "Trips", recordID: RecordID(recordName: "t\(number)", zoneID: zoneID))
                    .with(["x": number])
            }
            try await database.saveAll(trips)
            var all = try ObservationProbe(database, Query(recordType: "Trips", sortedBy: "x"), limit: 2)
            try await all.expectNext(["t1", "t2"])
            try await database.deleteRecordZone(withID: zone.zoneID)
            try await all.expectNext(["t4", "t5"])
        },
        ConformanceRule(
            .observation, "a limit of an observed query is at least 1",
            law: "A limit of less than 1 is refused; a limit beyond all records reports all.",
            source: .cabinet("Database.observe(limit:)")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["x": 1]))
            for limit in [0, -1, Int.min] {
                var states = try ObservationProbe(database, Self.ordered, limit: limit)
                try await expectError(.invalidArguments, naming: ["limit"]) { try await states.next() }
            }
            for limit in [2, Int.max / 2 + 1, .max] {
                var states = try ObservationProbe(database, Self.ordered, limit: limit)
                try await states.expectNext(["a"])
                try await database.save(Record("Items", "b", ["x": 2]))
                try await states.expectNext(["a", "b"])
                try await database.deleteAll(["b"])
                try await states.expectNext(["a"])
            }
        },
    ]

    private static let ordered = Query(
        recordType: "Items", filter: .compare("x", .greaterThan, 0), sortedBy: "x")
}
