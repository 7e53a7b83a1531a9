import Cabinet
import Foundation

extension ConformanceRule {
    /// The states that an observer of a query receives.
    static let observation: [ConformanceRule] = [
        ConformanceRule(
            .observation, "an observed query reports its records, and every change of them",
            law: "The first state arrives at once, and another one after each commit that changes the result.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Items", "b", ["x": 2.0]), Record("Items", "a", ["x": 1.0])])
            var states = try ObservationProbe(
                database, Query(recordType: "Items", filter: Filter("x > 0"), sortedBy: [Sort("x")]))
            try await states.expectNext(["a", "b"])
            try await database.save(Record("Items", "c", ["x": 1.5]))
            try await states.expectNext(["a", "c", "b"])
            try await database.update(.named("b")) { $0["x"] = 0.5 }
            try await states.expectNext(["b", "a", "c"])
            try await database.update(.named("a")) { $0["x"] = -1.0 }
            try await states.expectNext(["b", "c"])
            try await database.deleteRecord(withID: .named("b"))
            try await states.expectNext(["c"])
            try await database.update(.named("c")) { $0["note"] = "new" }
            try await states.expectNext(["c"])
            try expect("The note", states.last.first?["note"] as? String, equals: "new")
        },
        ConformanceRule(
            .observation, "an observed query follows its key paths",
            law:
                "A change of a record at the end of a key path also produces a state, even if the path continues from an element.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "one", ["name": "old"]), Record("Lists", "two", ["name": "old"]),
            ])
            try await database.saveAll([
                Record("Items", "a", ["list": Reference("one"), "lists": [Reference("two"), Reference("one")]])
            ])
            for format in ["list.name == 'new'", "lists[1].name == 'new'", "ANY lists.name == 'new'"] {
                var states = try ObservationProbe(database, Query(recordType: "Items", filter: Filter(format)))
                try await states.expectNext([])
                try await database.update(.named("one")) { $0["name"] = "new" }
                try await states.expectNext(["a"])
                try await database.update(.named("a")) { $0["note"] = format }
                try await states.expectNext(["a"])
                try await database.update(.named("one")) { $0["name"] = "old" }
                try await states.expectNext([])
            }
        },
        ConformanceRule(
            .observation, "a commit that does not change the result is not reported",
            law:
                "Commits that change other records, or nothing, produce no state; the next state is that of the next change.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["x": 1]))
            var states = try ObservationProbe(database, Query(recordType: "Items", filter: Filter("x > 0")))
            try await states.expectNext(["a"])
            try await database.save(Record("Items", "out", ["x": -1]))
            try await database.update(.named("out")) { $0["x"] = -2 }
            try await database.save(Record("Lists", "other", ["x": 1]))
            try await database.deleteAll(["out", "other", "never"])
            try await database.save(Record("Items", "b", ["x": 2]))
            try await states.expectNext(["a", "b"])
        },
        ConformanceRule(
            .observation, "the last state is never missed",
            law:
                "An observer that is busy during many commits receives the last state, and no more states than commits.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            var states = try ObservationProbe(
                database, Query(recordType: "Items", sortedBy: [Sort("x", ascending: false)]))
            try await states.expectNext([])
            let writing = Task {
                for number in 0..<50 { try await database.save(Record("Items", "r\(number)", ["x": number])) }
            }
            var count = 0
            while states.last.count < 50 {
                try await states.next()
                count += 1
                try expect(count <= 50, "More states than commits arrived.")
                let numbers = states.last.compactMap { $0["x"] as? Int }
                try expect("The order", numbers, equals: (0..<numbers.count).reversed())
            }
            try await writing.value
        },
        ConformanceRule(
            .observation, "other devices' changes are reported",
            law: "Changes of another container on the same store are reported, and those of another database are not.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            var states = try ObservationProbe(database, Query(recordType: "Items"))
            try await states.expectNext([])
            let ben = try world.container(account: Account(userRecordName: "_ben"))
            try await ben.privateDatabase.save(Record("Items", "foreign"))
            try await world.container().publicDatabase.save(Record("Items", "public"))
            try await world.container().privateDatabase.save(Record("Items", "a"))
            try await states.expectNext(["a"])
        },
        ConformanceRule(
            .observation, "many changes in one batch are one state",
            law: "A batch of any size is one state, including the effect of delete rules.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            var states = try ObservationProbe(database, Query(recordType: "Items", filter: Filter("list != NIL")))
            try await states.expectNext([])
            let items = (0..<1_500).map { Record("Items", "r\($0)", ["list": Reference("list", .deleteSelf)]) }
            try await database.saveAll([Record("Lists", "list")] + items)
            try await states.next()
            try expect("The number of records", states.last.count, equals: 1_500)
            try await database.deleteAll((1..<1_500).map { "r\($0)" })
            try await states.expectNext(["r0"])
            try await database.deleteRecord(withID: .named("list"))
            try await states.expectNext([])
        },
        ConformanceRule(
            .observation, "key paths are observed",
            law: "A change of a record that a key path leads to is reported if it changes the result.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "list", ["name": "Home"]), Record("Items", "a", ["list": Reference("list")]),
            ])
            var states = try ObservationProbe(
                database,
                Query(recordType: "Items", filter: Filter("list.name == 'Home'"), sortedBy: [Sort("list.name")]))
            try await states.expectNext(["a"])
            try await database.update(.named("list")) { $0["name"] = "Work" }
            try await states.expectNext([])
            try await database.update(.named("list")) { $0["name"] = "Home" }
            try await states.expectNext(["a"])
        },
        ConformanceRule(
            .observation, "a query of unknown fields can be observed",
            law: "A query that reads a type or a field that was never saved is observed like others.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            var states = try ObservationProbe(database, Query(recordType: "Items", filter: Filter("x == 1")))
            try await states.expectNext([])
            try await database.save(Record("Items", "a"))
            try await database.save(Record("Items", "b", ["x": 1]))
            try await states.expectNext(["b"])
        },
        ConformanceRule(
            .observation, "zones are observed",
            law:
                "A query of all zones reports changes in each, and deleted zones; a query of one zone reports only those of its zone.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            try await database.save(zone)
            var all = try ObservationProbe(database, Query(recordType: "Items"))
            var one = try ObservationProbe(database, Query(recordType: "Items"), zoneID: zone.zoneID)
            try await all.expectNext([])
            try await one.expectNext([])
            try await database.save(Record("Items", "a"))
            try await all.expectNext(["a"])
            try await database.save(
                Record(recordType: "Items", recordID: RecordID(recordName: "b", zoneID: zone.zoneID)))
            try await all.expectNext(["a", "b"])
            try await one.expectNext(["b"])
            try await database.deleteRecordZone(withID: zone.zoneID)
            try await all.expectNext(["a"])
            try await expectError(.zoneNotFound) { try await one.next() }
        },
        ConformanceRule(
            .observation, "differences describe the changes",
            law: "A difference has the records inserted, updated, deleted and moved since the last one.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(
                [0, 1, 2, 3].map { (number: Int) in Record("Items", "r\(number)", ["x": number]) })
            let query = Query(recordType: "Items", sortedBy: [Sort("x")])
            var differences = database.observe(query).differences.makeAsyncIterator()
            func next() async throws -> String {
                let found: RecordDifference = try require(try await differences.next(), "A difference")
                return "+\(found.inserted.map(\.recordID.recordName)) *\(found.updated.map(\.recordID.recordName)) "
                    + "-\(found.deleted.map(\.recordName)) >\(found.moved.map(\.recordName))"
            }
            try expect("At first", try await next(), equals: #"+["r0", "r1", "r2", "r3"] *[] -[] >[]"#)
            try await database.update(.named("r0")) { $0["x"] = 10 }
            try expect("A move", try await next(), equals: #"+[] *["r0"] -[] >["r0"]"#)
            try await database.update(.named("r1")) { $0["note"] = "n" }
            try expect("An update", try await next(), equals: #"+[] *["r1"] -[] >[]"#)
            try await database.save([Record("Items", "new", ["x": 5])], deleting: [.named("r2")])
            try expect("More", try await next(), equals: #"+["new"] *[] -["r2"] >[]"#)
        },
        ConformanceRule(
            .observation, "an observation ends with its task, and with the store",
            law: "The sequence ends when its task is cancelled, and when the container is closed.",
            source: .cabinet("live queries")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            let seen = ObservedValueCounter()
            func observing() -> Task<Void, any Error> {
                Task { for try await _ in database.observe(Query(recordType: "Items")) { seen.add() } }
            }
            let cancelled = observing()
            let closed = observing()
            try await seen.wait(for: 2)
            cancelled.cancel()
            try await cancelled.value
            try await database.save(Record("Items", "a"))
            await container.close()
            try await closed.value
        },
        ConformanceRule(
            .observation, "an invalid query cannot be observed",
            law: "Observing throws the error of the query.",
            source: .cabinet("live queries")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["x": 1]))
            var states = try ObservationProbe(database, Query(recordType: "Items", filter: Filter("ANY x == 1")))
            try await expectError(.invalidArguments, in: "x") { try await states.next() }
            var users = try ObservationProbe(database, Query(recordType: "Users"))
            try await expectError(.invalidArguments) { try await users.next() }
        },
    ]
}
