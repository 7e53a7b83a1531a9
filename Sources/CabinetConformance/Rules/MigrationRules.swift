import Cabinet
import Synchronization

extension ConformanceRule {
    /// Migrations, which run once in each database.
    static let migrations: [ConformanceRule] = [
        ConformanceRule(
            .schema, "a migration runs once",
            law: "A migration takes its steps once in each database, and later ones of the list run alone.",
            source: .cabinet("Database.migrate(_:progress:)")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.saveSamples(450)
            let first = Migration("one", .renameField("n", to: "number", of: "Items"), .counting)
            for _ in 0..<2 { try await container.migrate([first]) }
            try await database.expectCounts(of: 450, equal: 1)
            try await database.save(Record("Items", "new", ["number": 0]))
            let second = Migration(
                "two",
                .forEachRecord(of: "Items", matching: try Filter("number < 3")) { record in
                    record["count"] = (record["count"] ?? 0) + 1
                }, .changeField("number", of: "Items", to: .double), .renameRecordType("Items", to: "Things"))
            try await container.migrate([first, second])
            let found = try await database.allRecords(matching: Query(recordType: "Things"))
            let counts = Dictionary(grouping: found) { ($0["count"] as Int?) ?? 0 }.mapValues(\.count)
            try expect("The records by their counts", counts, equals: [1: 448, 2: 3])
            try expect("The number", try await database.fetch("item 7").fieldValue("number"), equals: .double(7))
            for each in [database, container.publicDatabase] {
                try expect("The migrations", try await each.completedMigrations(), equals: ["one", "two"])
            }
        },
        ConformanceRule(
            .schema, "a migration goes on where it was interrupted",
            law: "After an error, a migration goes on with the first batch that was not saved, and its progress too.",
            source: .cabinet("Database.migrate(_:progress:)")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveSamples(450)
            let visits = Mutex(0)
            let reported = Mutex<[MigrationProgress]>([])
            let migration = Migration(
                "interrupted", .counting,
                .forEachRecord(of: "Items") { record in
                    visits.withLock { $0 += 1 }
                    if visits.withLock({ $0 }) == 300 { throw CabinetError(.serviceUnavailable, "") }
                    record["count"] = (record["count"] ?? 0) + 1
                })
            try await expectError(.serviceUnavailable) { try await database.migrate([migration]) }
            try expect("The completed migrations", try await database.completedMigrations(), equals: [])
            let counted = try await database.names(where: .compare("count", .equal, 2))
            try expect("The records of the first batch", counted.count, equals: 200)
            try await database.migrate([migration]) { progress in reported.withLock { $0.append(progress) } }
            try await database.expectCounts(of: 450, equal: 2)
            let progress = reported.withLock { $0 }
            try expect("The completed steps", progress.map(\.completedSteps), equals: [1, 2])
            try expect("The completed records", progress.map(\.completedRecords), equals: [400, 0])
            try expect("The number of records", progress.first?.totalRecords, equals: 450)
            try expect("The fraction", progress.last?.fractionCompleted, equals: 1)
        },
        ConformanceRule(
            .schema, "programs that migrate at once do no step twice",
            law: "Each batch and step of a migration is done by one of the programs that run it at the same time.",
            source: .cabinet("Database.migrate(_:progress:)")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveSamples(450)
            let migrations = [
                Migration("a", .counting, .renameField("n", to: "m", of: "Items"), .counting),
                Migration("b", .counting),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in ["one", "two", "three"] {
                    let database = try world.container(deviceID: device).privateDatabase
                    group.addTask { try await database.migrate(migrations) }
                }
                try await group.waitForAll()
            }
            try await database.expectCounts(of: 450, equal: 3)
        },
        ConformanceRule(
            .schema, "a migration keeps the changes of others",
            law: "If another client changes a record of a batch, the batch is done again with the changed record.",
            source: .cabinet("Migration.Step.forEachRecord(of:matching:_:)")
        ) { world in
            let database = try world.privateDatabase()
            let other = try world.container(deviceID: "other").privateDatabase
            try await database.saveSamples(5)
            let visits = Mutex(0)
            let migration = Migration(
                "shared",
                .forEachRecord(of: "Items") { record in
                    record["count"] = (record["count"] ?? 0) + 1
                    visits.withLock { $0 += 1 }
                    guard visits.withLock({ $0 }) == 4 else { return }
                    try await other.save(try await other.fetch("item 2").with(["n": 20]))
                    try await other.deleteRecord(withID: .named("item 1"))
                })
            try await database.migrate([migration])
            try await database.expectCounts(of: 4, equal: 1)
            try expect("The other change", try await database.fetch("item 2")["n"], equals: 20)
        },
        ConformanceRule(
            .schema, "a migration that would lose values is refused",
            law:
                "A drop that loses more than its step permits, or anything in production, is refused before the first step.",
            source: .cabinet("Database.migrate(_:progress:)")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.saveSamples(3)
            let part = SchemaPart("Items", "n")
            var schema = Schema()
            schema["Items"]["count"] = .init(.int64)
            let strict = try world.container(schema: .strict(schema)).privateDatabase
            try await expectError(.invalidArguments, naming: ["3 records"], in: "n") {
                try await database.migrate([Migration("a", .renameRecordType("Notes", to: "Texts"), .drop(part))])
            }
            try await expectError(.invalidArguments, naming: ["3 records", "strict"], in: "n") {
                try await strict.migrate([
                    Migration("a", .renameRecordType("Notes", to: "Texts"), .drop(part, losingAtMost: .max))
                ])
            }
            try expect("The migrations", try await database.completedMigrations(), equals: [])
            try expect("The field", try await database.schema()["Items"]["n"]?.type, equals: .int64)
            let moving = Migration(
                "moved",
                .forEachRecord(of: "Items") { record in
                    record["count"] = record["n"] ?? 0
                    record["n"] = nil
                }, .drop(part))
            try await strict.migrate([moving])
            try expect("The schema", try await database.schema()["Items"], equals: schema["Items"])
            try expect("The moved value", try await database.fetch("item 2")["count"], equals: 2)
        },
        ConformanceRule(
            .schema, "a migration that cannot be is refused",
            law: "Migrations need different names and the steps that a database has taken.",
            source: .cabinet("Database.migrate(_:progress:)")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveSamples(1)
            let twice = [Migration("a", .counting), Migration("a", .counting)]
            for wrong in [twice, [Migration("b")], [Migration("", .counting)]] {
                try await expectError(.invalidArguments) { try await database.migrate(wrong) }
            }
            let zone = database.inZone(RecordZone.ID(zoneName: "Notes"))
            try await expectError(.invalidArguments) { try await zone.migrate([Migration("a", .counting)]) }
            let failing = Migration.Step.forEachRecord(of: "Items") { _ in throw CabinetError(.serviceUnavailable, "") }
            try await expectError(.serviceUnavailable) {
                try await database.migrate([Migration("a", .counting, failing)])
            }
            try await expectError(.invalidArguments, naming: ["'a'", "1 steps"]) {
                try await database.migrate([Migration("a", .counting)])
            }
            try await database.expectCounts(of: 1, equal: 1)
        },
    ]
}

extension Migration.Step {
    /// Counts the runs for each record.
    fileprivate static var counting: Self {
        .forEachRecord(of: "Items") { $0["count"] = ($0["count"] ?? 0) + 1 }
    }
}

extension Database {
    /// Saves records with numbers.
    fileprivate func saveSamples(_ count: Int) async throws {
        try await saveAll((0..<count).map { Record("Items", "item \($0)", ["n": $0]) })
    }

    fileprivate func expectCounts(of count: Int, equal expected: Int) async throws {
        let found = try await allRecords(matching: Query(recordType: "Items"))
        try expect("The number of records", found.count, equals: count)
        for record in found { try expect("The count of \(record.recordID)", record["count"] as Int?, equals: expected) }
    }
}
