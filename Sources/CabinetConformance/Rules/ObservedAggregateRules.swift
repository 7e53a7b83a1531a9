import Cabinet
import Foundation
import Synchronization

extension ConformanceRule {
    /// Observed counts, sums and other aggregates.
    static let observedAggregates: [ConformanceRule] = [
        ConformanceRule(
            .observation, "an observed count follows its query",
            law:
                "The count arrives at once, and again after each commit that changes it: records enter, leave, change and are deleted.",
            source: .cabinet("Database.observeCount")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Items", "a", ["x": 1]), Record("Items", "b", ["x": 2]), Record("Items", "out", ["x": -1]),
            ])
            let some = Query(recordType: "Items", filter: try Filter("x > 0"))
            var counts = AggregateProbe(database.observeCount(matching: some))
            try await counts.expectNext(2)
            try await database.save(Record("Items", "c", ["x": 3]))
            try await counts.expectNext(3)
            // None of these changes the count.
            try await database.update(.named("a")) { $0["x"] = 5 }
            try await database.update(.named("out")) { $0["x"] = -2 }
            try await database.save([Record("Items", "d", ["x": 1])], deleting: [.named("b")])
            try await database.save(Record("Lists", "other", ["x": 1]))
            try await database.update(.named("out")) { $0["x"] = 1 }
            try await counts.expectNext(4)
            try await database.update(.named("a")) { $0["x"] = 0 }
            try await counts.expectNext(3)
            try await database.deleteRecord(withID: .named("c"))
            try await counts.expectNext(2)
            try await database.deleteRecord(withID: .named("a"))
            try await database.deleteRecord(withID: .named("d"))
            try await database.save(Record("Lists", "d"))
            try await counts.expectNext(1)
            try await database.deleteRecord(withID: .named("out"))
            try await counts.expectNext(0)
        },
        ConformanceRule(
            .observation, "observed aggregates are those of the records",
            law:
                "Sums stay exact, the next value follows a least or greatest one that leaves, and there is none without values.",
            source: .cabinet("Database.observeSum")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Items", "none"), Record("Items", "a", ["d": 1e16, "n": 2, "s": "b"]),
                Record("Items", "b", ["d": 1.0, "n": 3, "s": "c"]),
                Record("Items", "c", ["d": -1e16, "n": 4, "s": "a"]),
            ])
            let all = Query(recordType: "Items")
            var sum = AggregateProbe(database.observeSum(of: "d", matching: all))
            var whole = AggregateProbe(database.observeSum(of: "n", matching: all, as: Int.self))
            var average = AggregateProbe(database.observeAverage(of: "n", matching: all))
            var minimum = AggregateProbe(database.observeMinimum(of: "s", matching: all))
            var maximum = AggregateProbe(database.observeMaximum(of: "n", matching: all))
            try await sum.expectNext(1)
            try await whole.expectNext(9)
            try await average.expectNext(3)
            try await minimum.expectNext(described: "a", text)
            try await maximum.expectNext(described: "4", text)
            try await database.deleteRecord(withID: .named("c"))
            try await sum.expectNext(1e16)
            try await whole.expectNext(5)
            try await average.expectNext(2.5)
            try await minimum.expectNext(described: "b", text)
            try await maximum.expectNext(described: "3", text)
            try await database.deleteRecord(withID: .named("a"))
            try await sum.expectNext(1)
            try await whole.expectNext(3)
            try await average.expectNext(3)
            try await minimum.expectNext(described: "c", text)
            try await database.update(.named("b")) {
                for key in ["d", "n", "s"] { $0[key] = nil }
            }
            try await sum.expectNext(0)
            try await whole.expectNext(0)
            try await average.expectNext(nil)
            try await minimum.expectNext(described: "nil", text)
            try await maximum.expectNext(described: "nil", text)
        },
        ConformanceRule(
            .observation, "observed groups appear and disappear",
            law:
                "A value has a group from its first record to its last; groups are in ascending order, nil first, each with its aggregate.",
            source: .cabinet("Database.observeCounts")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Items", "a", ["x": "b", "n": 2]), Record("Items", "b", ["x": "c", "n": 3]),
            ])
            let all = Query(recordType: "Items")
            var counts = AggregateProbe(database.observeCounts(by: "x", matching: all))
            var sums = AggregateProbe(database.observeSums(of: "n", by: "x", matching: all, as: Int.self))
            var averages = AggregateProbe(database.observeAverages(of: "n", by: "x", matching: all))
            var minima = AggregateProbe(database.observeMinima(of: "n", by: "x", matching: all))
            var maxima = AggregateProbe(database.observeMaxima(of: "n", by: "x", matching: all))
            func expectNext(
                _ count: String, _ sum: String, _ average: String, _ least: String, _ greatest: String
            )
                async throws
            {
                try await counts.expectNext(described: count) { "\($0.map { "\(text($0.value))=\($0.count)" })" }
                try await sums.expectNext(described: sum) { "\($0.map(\.sum))" }
                try await averages.expectNext(described: average) { "\($0.map { text($0.average) })" }
                try await minima.expectNext(described: least) { "\($0.map { text($0.minimum) })" }
                try await maxima.expectNext(described: greatest) { "\($0.map { text($0.maximum) })" }
            }
            try await expectNext(#"["b=1", "c=1"]"#, "[2, 3]", #"["2.0", "3.0"]"#, #"["2", "3"]"#, #"["2", "3"]"#)
            try await database.saveAll([Record("Items", "c", ["n": 6]), Record("Items", "d", ["x": "b", "n": 5])])
            try await expectNext(
                #"["nil=1", "b=2", "c=1"]"#, "[6, 7, 3]", #"["6.0", "3.5", "3.0"]"#, #"["6", "2", "3"]"#,
                #"["6", "5", "3"]"#)
            try await database.update(.named("b")) {
                $0["x"] = "a"
                $0["n"] = nil
            }
            try await expectNext(
                #"["nil=1", "a=1", "b=2"]"#, "[6, 0, 7]", #"["6.0", "nil", "3.5"]"#, #"["6", "nil", "2"]"#,
                #"["6", "nil", "5"]"#)
            try await database.deleteAll(["a", "b", "c"])
            try await expectNext(#"["b=1"]"#, "[5]", #"["5.0"]"#, #"["5"]"#, #"["5"]"#)
        },
        ConformanceRule(
            .observation, "observed aggregates follow their key paths",
            law:
                "A change of a record that the filter, the field or the group leads to is reported if it changes the value.",
            source: .cabinet("Database.observeCount")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Lists", "one", ["name": "Home", "budget": 10]),
                Record("Items", "a", ["list": Reference("one")]), Record("Items", "b", ["list": Reference("one")]),
            ])
            let all = Query(recordType: "Items")
            let home = Query(recordType: "Items", filter: try Filter("list.name == 'Home'"))
            var count = AggregateProbe(database.observeCount(matching: home))
            var sum = AggregateProbe(database.observeSum(of: "list.budget", matching: all, as: Int.self))
            var groups = AggregateProbe(database.observeCounts(by: "list.name", matching: all))
            try await count.expectNext(2)
            try await sum.expectNext(20)
            try await groups.expectNext(described: "Home") { $0.map { text($0.value) }.joined() }
            try await database.update(.named("one")) {
                $0["name"] = "Work"
                $0["budget"] = 7
            }
            try await count.expectNext(0)
            try await sum.expectNext(14)
            try await groups.expectNext(described: "Work") { $0.map { text($0.value) }.joined() }
            try await database.deleteRecord(withID: .named("a"))
            try await sum.expectNext(7)
            try await database.update(.named("one")) { $0["name"] = "Home" }
            try await count.expectNext(1)
        },
        ConformanceRule(
            .observation, "observed aggregates follow zones",
            law:
                "A count of all zones follows deleted and recreated zones; that of a deleted zone throws, and continues when the zone is recreated.",
            source: .cabinet("Database.observeCount")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone(zoneName: "Travel")
            func item(_ name: String) -> Record {
                Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zone.zoneID))
            }
            try await database.save(zone)
            try await database.saveAll([item("a"), Record("Items", "other")])
            let all = Query(recordType: "Items")
            var everywhere = AggregateProbe(database.observeCount(matching: all))
            var there = AggregateProbe(database.inZone(zone.zoneID).observeCount(matching: all))
            try await everywhere.expectNext(2)
            try await there.expectNext(1)
            try await database.saveAll([item("b"), item("c")])
            try await everywhere.expectNext(4)
            try await there.expectNext(3)
            try await database.save(Record("Items", "another"))
            try await everywhere.expectNext(5)
            try await database.deleteRecordZone(withID: zone.zoneID)
            try await everywhere.expectNext(2)
            try await expectError(.zoneNotFound) { try await there.next() }
            try await database.save(zone)
            try await there.expectNext(0)
            try await database.save(item("a"))
            try await everywhere.expectNext(3)
            try await there.expectNext(1)
        },
        ConformanceRule(
            .observation, "many changes in one batch are one value",
            law: "A batch of any size is one value of an aggregate, including the effect of delete rules.",
            source: .cabinet("Database.observeSum")
        ) { world in
            let database = try world.privateDatabase()
            let all = Query(recordType: "Items")
            var sum = AggregateProbe(database.observeSum(of: "n", matching: all, as: Int.self))
            try await sum.expectNext(0)
            let items = (0..<2_300).map { Record("Items", "r\($0)", ["n": 2, "list": Reference("list", .deleteSelf)]) }
            try await database.saveAll([Record("Lists", "list")] + items)
            try await sum.expectNext(4_600)
            try await database.update(.named("r7")) { $0["n"] = 3 }
            try await sum.expectNext(4_601)
            try await database.deleteAll((1..<1_000).map { "r\($0)" })
            try await sum.expectNext(2_602)
            try await database.deleteRecord(withID: .named("list"))
            try await sum.expectNext(0)
        },
        ConformanceRule(
            .observation, "an observed aggregate that cannot be computed throws",
            law:
                "A field of the wrong type, and a sum that the type cannot hold, are errors that the observation survives.",
            source: .cabinet("Database.observeSum")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["s": "Milk", "d": 1.0]))
            let all = Query(recordType: "Items")
            var text = AggregateProbe(database.observeSum(of: "s", matching: all))
            try await expectError(.invalidArguments, naming: ["s"], in: "s") { try await text.next() }
            var sum = AggregateProbe(database.observeSum(of: "d", matching: all, as: Int.self))
            try await sum.expectNext(1)
            try await database.save(Record("Items", "b", ["d": 0.5]))
            try await expectError(.invalidArguments, naming: ["d"], in: "d") { try await sum.next() }
            try await database.update(.named("b")) { $0["d"] = 2 }
            try await sum.expectNext(3)
            // A type that has no such field yet has one later, of the wrong type.
            var later = AggregateProbe(database.observeSum(of: "late", matching: all))
            try await later.expectNext(0)
            try await database.update(.named("a")) { $0["late"] = "text" }
            try await expectError(.invalidArguments, naming: ["late"], in: "late") { try await later.next() }
        },
        ConformanceRule(
            .observation, "an observed aggregate ends with its task, and with the store",
            law: "The sequence ends when its task is cancelled, and when the container is closed, with the reason.",
            source: .cabinet("Database.observeCount")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            let seen = ObservedValueCounter()
            func observing() -> Task<Bool?, any Error> {
                Task {
                    var counts = database.observeCount(matching: Query(recordType: "Items")).makeAsyncIterator()
                    while try await counts.next() != nil { seen.add() }
                    return switch counts.ending {
                    case .cancelled: true
                    case .closed: false
                    case .failed, nil: nil
                    }
                }
            }
            let cancelled = observing()
            let closed = observing()
            try await seen.wait(for: 2)
            cancelled.cancel()
            try expect("The end of the cancelled task", try await cancelled.value, equals: true)
            try await database.save(Record("Items", "a"))
            await container.close()
            try expect("The end of the closed container", try await closed.value, equals: false)
        },
    ]
}

/// The number of values that observers have received.
final class ObservedValueCounter: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }

    /// Waits until observers have received a number of values, or ten seconds have passed.
    func wait(for number: Int) async throws {
        for _ in 0..<2_000 where count.withLock(\.self) < number { try await Task.sleep(for: .milliseconds(5)) }
    }
}

/// A value as expectations name it.
private func text(_ value: (any RecordValue)?) -> String { value.map { "\($0)" } ?? "nil" }

private func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "nil" }
