import Cabinet

extension ConformanceRule {
    /// Stores that are open more than once.
    static let sharedStores: [ConformanceRule] = [
        ConformanceRule(
            .durability, "an open store is shared or refused",
            law: "Opening an open store throws zoneBusy, or returns a second backend on the same records.",
            source: .cabinet("StorageBackend"), needsReopening: true
        ) { world in
            let first = try world.privateDatabase()
            try await first.save(Record("Items", "counter", ["number": 0]))
            let isShared = try await world.openedTwice { world in
                let second = try world.privateDatabase()
                for turn in 0..<4 {
                    for (database, name) in [(first, "a"), (second, "b")] {
                        // Each has a field and a type that the other one does not know yet.
                        try await database.save(Record("Items", "\(name)\(turn)", ["\(name)\(turn)": turn]))
                        try await database.save(Record("\(name)Type\(turn)", "\(name)Type\(turn)"))
                        try await database.addOne("counter")
                    }
                }
                async let firsts: Void = HelperTask(saving: 6, prefix: "c").perform(in: first)
                async let seconds: Void = HelperTask(saving: 6, prefix: "d").perform(in: second)
                _ = try await (firsts, seconds)
                try await expectItems(["a", "b"], 4, ["c", "d"], 6, counted: 20, in: [first, second])
                try expect("The schemas", try await first.schema() == second.schema(), equals: true)
            }
            if !isShared { try await first.addOne("counter") }
            try await world.reopened { world in
                let database = try world.privateDatabase()
                let expected = isShared ? 20 : 1
                let counter = try await database.fetch("counter")
                try expect("The counter", counter["number"], equals: expected)
            }
        },
        ConformanceRule(
            .durability, "two processes share a store, or take turns",
            law: "Processes that open one store at the same time lose no save, or all but the first are refused.",
            source: .cabinet("StorageBackend"), needsReopening: true, needsHelper: true
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "counter", ["number": 0]))
            async let first = world.runHelper(HelperTask(saving: 8, prefix: "a"))
            async let second = world.runHelper(HelperTask(saving: 8, prefix: "b"))
            async let own: Void = HelperTask(saving: 8, prefix: "c").perform(in: database)
            let outcomes = try await [first, second]
            try await own
            try expect("Whether both helpers have the same outcome", Set(outcomes).count, equals: 1)
            let isShared = outcomes[0] == .saved
            try await expectItems(isShared ? ["a", "b", "c"] : ["c"], 8, counted: isShared ? 24 : 8, in: [database])
            try await world.reopened {
                let outcome = try await world.runHelper(HelperTask(saving: 8, prefix: "d"))
                try expect("The outcome when the store is closed", outcome, equals: .saved)
            } _: { world in
                let database = try world.privateDatabase()
                let prefixes = isShared ? ["a", "b", "c", "d"] : ["c", "d"]
                try await expectItems(prefixes, 8, counted: 8 * prefixes.count, in: [database])
            }
        },
        ConformanceRule(
            .durability, "an opening reads what another opening has changed since",
            law:
                "Records, zones, schema and indexes that an opening has read are read again after another one changes them.",
            source: .cabinet("StorageBackend"), needsReopening: true
        ) { world in
            let first = try world.privateDatabase()
            try await first.save(Record("Items", "milk", ["number": 0]))
            _ = try await world.openedTwice { world in
                let openings = [first, try world.privateDatabase()]
                for turn in 1...6 {
                    try await expectChanges(by: openings[turn % 2], toReach: openings[(turn + 1) % 2], turn)
                }
            }
        },
        ConformanceRule(
            .observation, "an observed query follows another opening of the store",
            law: "An observer receives the changes that another opening of the same store commits.",
            source: .storage("ChangeSignals.changeSignals(of:)"), needsReopening: true
        ) { world in
            let first = try world.privateDatabase()
            try await first.save(Record("Items", "a", ["number": 1]))
            _ = try await world.openedTwice { world in
                let second = try world.privateDatabase()
                let query = Query(recordType: "Items", sortedBy: ["number"])
                var (firsts, seconds) = (try ObservationProbe(first, query), try ObservationProbe(second, query))
                try await firsts.expectNext(["a"])
                try await seconds.expectNext(["a"])
                var names = ["a"]
                for turn in 1...3 {
                    try await second.save(Record("Items", "b\(turn)", ["number": 2 * turn]))
                    names.append("b\(turn)")
                    try await firsts.expectFinally(names)
                    try await first.save(Record("Items", "c\(turn)", ["number": 2 * turn + 1]))
                    names.append("c\(turn)")
                    try await seconds.expectFinally(names)
                }
            }
        },
    ]
}

/// Throws unless databases hold the saved records, a counter of them, and a change for each.
private func expectItems(
    _ prefixes: [String], _ count: Int, _ others: [String] = [], _ otherCount: Int = 0, counted: Int,
    in databases: [Database]
) async throws {
    let names =
        prefixes.flatMap { prefix in (0..<count).map { "\(prefix)\($0)" } }
        + others.flatMap { prefix in (0..<otherCount).map { "\(prefix)\($0)" } }
    for database in databases {
        try expect("The items", try await database.names().sorted(), equals: (names + ["counter"]).sorted())
        try expect("The counter", try await database.fetch("counter")["number"], equals: counted)
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        let changed = Set(changes.modificationResultsByID.keys.map(\.recordName))
        try expect("Whether the changes contain every item", changed.isSuperset(of: names), equals: true)
    }
}

/// Throws unless a database that has read records, zones, schema and indexes finds the changes of another opening.
private func expectChanges(by writer: Database, toReach reader: Database, _ turn: Int) async throws {
    let zone = RecordZone(zoneName: "Zone")
    let zoned = Record(recordType: "Items", recordID: RecordID(recordName: "zoned", zoneID: zone.zoneID))
    func number(_ number: Int) -> Filter { .compare("number", .equal, number) }
    try expect("The number before", try await reader.fetch("milk")["number"], equals: turn - 1)
    try expect("The records before", try await reader.names(where: number(turn - 1)), equals: ["milk"])
    _ = try await (reader.schema(), reader.allRecordZones())
    try await writer.update(.named("milk")) { $0["number"] = turn }
    try expect("The number", try await reader.fetch("milk")["number"], equals: turn)
    try expect("The records with the number", try await reader.names(where: number(turn)), equals: ["milk"])
    try expect("Those with the number before", try await reader.names(where: number(turn - 1)), equals: [])
    var schema = Schema()
    schema["Items"]["number"] = Schema.Field(.int64, turn % 3 == 0 ? [] : [.queryable, .sortable])
    schema["Items"]["text\(turn)"] = Schema.Field(.string, .searchable)
    try await writer.apply(schema)
    try expect("The schema", try await reader.schema(), equals: try await writer.schema())
    try await writer.save(Record("Items", "new", ["text\(turn)": "bread"]))
    try expect(
        "The new record", try await reader.names(where: .compare("text\(turn)", .equal, "bread")), equals: ["new"])
    try await reader.deleteRecord(withID: .named("new"))
    try await expectError(.unknownItem) { try await writer.fetch("new") }
    try await writer.save(zone)
    try await reader.save(zoned)
    try await writer.deleteRecordZone(withID: zone.zoneID)
    try await expectError(.zoneNotFound) { try await reader.record(for: zoned.recordID) }
    try await expectError(.zoneNotFound) { try await reader.save(zoned) }
}
