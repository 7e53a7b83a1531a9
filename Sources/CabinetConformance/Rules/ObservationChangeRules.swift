import Cabinet
import Foundation

extension ConformanceRule {
    /// Observed queries when more than records change.
    static let observationChanges: [ConformanceRule] = [
        ConformanceRule(
            .observation, "a recreated zone is observed",
            law:
                "When a zone is deleted and recreated, its old records leave the result and its new ones enter it.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            func record(_ name: String) -> Record {
                Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zone.zoneID))
            }
            try await database.save(zone)
            try await database.saveAll([record("old"), record("both"), Record("Items", "other")])
            var states = try ObservationProbe(database, Query(recordType: "Items"))
            try await states.expectNext(["old", "both", "other"])
            _ = try await database.deleteRecordZone(withID: zone.zoneID)
            try await database.save(zone)
            try await database.saveAll([record("new"), record("both")])
            try await states.expectFinally(["other", "new", "both"])
            try await database.deleteRecord(withID: record("new").recordID)
            try await states.expectNext(["other", "both"])
        },
        ConformanceRule(
            .observation, "a zone that is deleted takes its latest records with it",
            law:
                "A record that is saved between two states, in a zone that is deleted before the second, is in neither of them.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            var states = try ObservationProbe(database, Query(recordType: "Items"))
            var counts = AggregateProbe(database.observeCount(matching: Query(recordType: "Items")))
            try await database.save(Record("Items", "a"))
            try await states.expectNext(["a"])
            try await counts.expectNext(1)
            for round in 1...3 {
                try await database.save(zone)
                for number in 0..<3 {
                    let id = RecordID(recordName: "t\(number)", zoneID: zone.zoneID)
                    try await database.save(Record(recordType: "Items", recordID: id))
                    // Each commit is read by itself.
                    try await Task.sleep(for: .milliseconds(20))
                }
                try await database.deleteRecordZone(withID: zone.zoneID)
                try await database.save(Record("Items", "b\(round)"))
                try await states.expectFinally(["a"] + (1...round).map { "b\($0)" })
                while try await counts.next() != round + 1 {}
            }
        },
        ConformanceRule(
            .observation, "a query of a zone survives the zone",
            law:
                "Observing a deleted zone throws `zoneNotFound`; once the zone is recreated, its records are reported.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            try await database.save(zone)
            var states = try ObservationProbe(database, Query(recordType: "Items"), zoneID: zone.zoneID)
            try await states.expectNext([])
            _ = try await database.deleteRecordZone(withID: zone.zoneID)
            try await expectError(.zoneNotFound) { try await states.next() }
            try await database.save(zone)
            try await states.expectNext([])
            try await database.save(
                Record(recordType: "Items", recordID: RecordID(recordName: "a", zoneID: zone.zoneID)))
            try await states.expectNext(["a"])
        },
        ConformanceRule(
            .observation, "a record of another type is another record",
            law:
                "A record that is deleted and saved under its ID with another type leaves one result and enters the other.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Items", "a"), Record("Items", "b"), Record("Lists", "c")])
            var items = try ObservationProbe(database, Query(recordType: "Items"))
            var lists = try ObservationProbe(database, Query(recordType: "Lists"))
            try await items.expectNext(["a", "b"])
            try await lists.expectNext(["c"])
            try await database.deleteRecord(withID: .named("a"))
            try await database.save(Record("Lists", "a"))
            try await items.expectNext(["b"])
            try await lists.expectNext(["c", "a"])
        },
        ConformanceRule(
            .observation, "a filter that fails for a record is an error that observation survives",
            law: "The error of the query is thrown; when the query succeeds again, its records are reported.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["range": [1, 3]]))
            var states = try ObservationProbe(database, Query(recordType: "Items", filter: Filter("2 BETWEEN range")))
            try await states.expectNext(["a"])
            try await database.save(Record("Items", "b", ["range": [1, 2, 3]]))
            try await expectError(.invalidArguments) { try await states.next() }
            try await database.update(.named("b")) { $0["range"] = [2, 2] }
            try await states.expectNext(["a", "b"])
        },
        ConformanceRule(
            .observation, "a change of the searchable fields is observed",
            law: "When other fields become searchable, the new results of a search for words are reported.",
            source: .cabinet("live queries")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.saveAll([
                Record("Items", "a", ["name": "milk", "note": "cold"]),
                Record("Items", "b", ["name": "tea", "note": "no milk"]),
            ])
            var states = try ObservationProbe(database, Query(recordType: "Items", filter: .text("milk")))
            try await states.expectNext(["a", "b"])
            var schema = Schema()
            schema["Items"]["name"] = Schema.Field(.string, .searchable)
            try await container.apply(schema)
            try await states.expectNext(["a"])
            try await database.update(.named("b")) { $0["name"] = "oat milk" }
            try await states.expectNext(["a", "b"])
        },
        ConformanceRule(
            .observation, "computed orders are kept",
            law: "Records that are sorted by distance, or without regard to case, stay in this order.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            func place(_ longitude: Double) -> Location { Location(latitude: 0, longitude: longitude) }
            try await database.saveAll([
                Record("Items", "a", ["at": place(3), "name": "b"]),
                Record("Items", "b", ["at": place(1), "name": "A"]),
            ])
            var near = try ObservationProbe(
                database, Query(recordType: "Items", sortedBy: [Sort("at", distanceFrom: place(0))]))
            var named = try ObservationProbe(
                database,
                Query(recordType: "Items", sortedBy: [Sort("name", ascending: false, options: .caseInsensitive)]))
            try await near.expectNext(["b", "a"])
            try await named.expectNext(["a", "b"])
            try await database.save(Record("Items", "c", ["at": place(-2), "name": "C"]))
            try await near.expectNext(["b", "c", "a"])
            try await named.expectNext(["c", "a", "b"])
            try await database.update(.named("a")) {
                $0["at"] = place(0.5)
                $0["name"] = "aa"
            }
            try await near.expectNext(["a", "b", "c"])
            try await named.expectNext(["c", "a", "b"])
        },
        ConformanceRule(
            .observation, "a record is reported with the desired fields",
            law:
                "Only these fields are included. A change of another field is also reported, because the record's change tag is new.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            let saved = try await database.save(Record("Items", "a", ["name": "milk", "number": 1]))
            var states = try ObservationProbe(
                database, Query(recordType: "Items", filter: Filter("number > 0")), keys: ["name"])
            try await states.expectNext(["a"])
            try expect("The fields", states.last.first?.allKeys(), equals: ["name"])
            try await database.update(.named("a")) { $0["number"] = 2 }
            try await states.expectNext(["a"])
            try expect("The fields", states.last.first?.allKeys(), equals: ["name"])
            try expect(
                states.last.first?.recordChangeTag != saved.recordChangeTag,
                "The change tag is that of the old version.")
        },
        ConformanceRule(
            .observation, "signals end with the backend",
            law: "A stream of signals ends when the backend is closed; one that is requested later ends at once.",
            source: .storage("ChangeSignals.changeSignals(of:)"), abilities: [.signals]
        ) { world in
            try await world.privateDatabase().save(Record("Items", "a"))
            let ability = try require(world.backend.abilities.signals, "The ability to signal changes")
            let signals = ability.changeSignals(of: .public)
            let listening = Task { for await _ in signals {} }
            await world.backend.close()
            await listening.value
            for await _ in ability.changeSignals(of: .public) {}
        },
        ConformanceRule(
            .observation, "a write has signalled when it returns",
            law: "When write returns, each stream of signals of the database holds one, even if no task awaits it.",
            source: .storage("ChangeSignals.changeSignals(of:)"), abilities: [.signals]
        ) { world in
            let ability = try require(world.backend.abilities.signals, "The ability to signal changes")
            try await world.backend.insert([.sample("a", .int64(1))])
            for number in 0..<10 {
                let signals = ability.changeSignals(of: .public)
                try await world.backend.insert([.sample("r\(number)", .int64(1))])
                // A task that is cancelled reads what a stream holds, and waits for nothing.
                let isSignalled = await Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    for await _ in signals { return true }
                    return false
                }.value
                try expect(isSignalled, "The stream held no signal when write \(number) returned.")
            }
        },
    ]
}
