import Cabinet

extension ConformanceRule {
    /// Queries and typed records in transactions.
    static let transactionQueries: [ConformanceRule] = [
        ConformanceRule(
            .batches, "a transaction finds its own writes",
            law:
                "Reads by ID and queries of a transaction find the records as it has written them, in the query's order.",
            source: .cabinet("Database.transaction")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(
                (0..<6).map { (number: Int) in Record("Items", "item \(number)", ["number": number, "name": "x"]) })
            let query = Query(
                recordType: "Items", filter: try Filter("number >= 2 AND name != 'y'"), sortedBy: [Sort("number")])
            let added = Query(recordType: "Others", filter: try Filter("size > 1"))
            try await database.transaction { t in
                func names(_ limit: Int? = nil) async throws -> [String] {
                    try await t.allRecords(matching: query, limit: limit).map(\.recordID.recordName)
                }
                try expect("The records", try await names(), equals: (2..<6).map { "item \($0)" })
                try t.save(Record("Items", "new", ["number": 4]))
                try t.save(try await t.record(for: .named("item 0")).with(["number": 3]))
                try t.save(try await t.record(for: .named("item 2")).with(["number": 1]))
                try t.save(try await t.record(for: .named("item 5")).with(["name": "y"]))
                try t.delete(.named("item 3"))
                try expect("The records after the writes", try await names(), equals: ["item 0", "item 4", "new"])
                try expect("The first records", try await names(2), equals: ["item 0", "item 4"])
                try expect("The first record", try await t.first(matching: query)?.recordID, equals: .named("item 0"))
                try expect("The number", try await t.record(for: .named("item 2"))["number"], equals: 1)
                try await expectError(.unknownItem) { try await t.record(for: .named("item 3")) }
                // A type and a field that the schema does not have yet.
                try t.save(Record("Others", "other", ["size": 2]))
                try expect("The new record", try await t.first(matching: added)?.recordID, equals: .named("other"))
                try t.delete(.named("other"))
                try expect("The records of the new type", try await t.allRecords(matching: added).count, equals: 0)
            }
            try expect(
                "The stored records", try await database.names(where: query.filter, by: query.sortDescriptors),
                equals: ["item 0", "item 4", "new"])
        },
        ConformanceRule(
            .batches, "a transaction depends on the results of its queries",
            law:
                "A save that adds a record to a result, or takes one away, begins the closure again; a save of another record does not.",
            source: .cabinet("Database.transaction")
        ) { world in
            let (database, other) = (try world.privateDatabase(), try world.privateDatabase())
            let zone = try await database.save(RecordZone(zoneName: "Other"))
            let elsewhere = Record(
                recordType: "Items", recordID: RecordID(recordName: "elsewhere", zoneID: zone.zoneID)
            ).with(["number": 9])
            try await database.saveAll([Record("Items", "a", ["number": 5]), Record("Items", "b", ["number": 1])])
            let changes: [(String, Bool, () async throws -> Void)] = [
                ("another record is saved", false, { try await other.save(Record("Items", "c", ["number": 2])) }),
                ("a matching record is saved", true, { try await other.save(Record("Items", "d", ["number": 7])) }),
                ("a record matches", true, { try await other.update(.named("b")) { $0["number"] = 6 } }),
                ("a record matches no more", true, { try await other.update(.named("a")) { $0["number"] = 0 } }),
                ("a record is deleted", true, { try await other.deleteRecord(withID: .named("d")) }),
                ("another record is deleted", false, { try await other.deleteRecord(withID: .named("c")) }),
                ("another type is saved", false, { try await other.save(Record("Lists", "d", ["number": 9])) }),
                ("a record is saved in another zone", false, { try await other.save(elsewhere) }),
            ]
            for (number, (what, conflicts, change)) in changes.enumerated() {
                var attempts = 0
                try await database.transaction { t in
                    let found = try await t.allRecords(
                        matching: Query(recordType: "Items", filter: .compare("number", .greaterThan, 4)),
                        inZoneWith: .default)
                    if attempts == 0 { try await change() }
                    attempts += 1
                    try t.save(Record("Counts", "count \(number)", ["number": found.count]))
                }
                try expect("The attempts, as \(what)", attempts, equals: conflicts ? 2 : 1)
            }
            let counts = try await database.allRecords(matching: Query(recordType: "Counts")).compactMap {
                $0["number"] as? Int
            }
            try expect("The counts", counts, equals: [1, 2, 3, 2, 1, 1, 1, 1])
        },
        ConformanceRule(
            .batches, "a transaction depends on what a key path leads to",
            law:
                "If a query follows references, a change of their targets begins the closure again; such a query cannot follow a write.",
            source: .cabinet("Database.transaction")
        ) { world in
            let (database, other) = (try world.privateDatabase(), try world.privateDatabase())
            try await database.saveAll([
                Record("Lists", "list", ["name": "Groceries"]), Record("Items", "milk", ["list": Reference("list")]),
            ])
            let query = Query(recordType: "Items", filter: try Filter("list.name == 'Groceries'"))
            var counts: [Int] = []
            try await database.transaction { t in
                counts.append(try await t.allRecords(matching: query).count)
                if counts.count == 1 { try await other.update(.named("list")) { $0["name"] = "Other" } }
                try t.save(Record("Counts", "count", ["number": counts.last]))
            }
            try expect("The counts", counts, equals: [1, 0])
            try await expectError(.invalidArguments, naming: ["first write"]) {
                try await database.transaction { t in
                    try t.save(Record("Lists", "new"))
                    _ = try await t.allRecords(matching: query)
                }
            }
        },
        ConformanceRule(
            .batches, "a transaction has typed records",
            law: "Typed records are read and saved, beside untyped ones, and returned as they are stored.",
            source: .cabinet("Database.transaction")
        ) { world in
            let (database, other) = (try world.privateDatabase(), try world.privateDatabase())
            let (accounts, entries) = (database.table(Accounts.self), database.table(Entries.self))
            let from = try await accounts.save { $0.balance = 100 }
            let to = try await accounts.save { $0.balance = 0 }
            var attempts = 0
            let saved = try await database.transaction { t in
                attempts += 1
                var (source, target) = (try await t.record(for: from.id), try await t.record(for: to.id))
                if attempts == 1 { try await other.table(Accounts.self).update(to.id) { $0.balance = 5 } }
                source.balance -= 30
                target.balance += 30
                var entry = entries.make(named: "entry")
                entry.account = target.id
                entry.amount = 30
                try t.save([source, target])
                try t.save(entry)
                let rich = try await t.all(Accounts.self, where: { $0.balance >= 30 }, by: \.balance)
                try expect("The accounts", rich.map(\.balance), equals: [target.balance, 70])
                try expect("The entry", try await t.first(Entries.self) { $0.account == to.id }?.amount, equals: 30)
                return [source, target]
            }
            try expect("The attempts", attempts, equals: 2)
            try expect(
                "The result", saved,
                equals: [try await accounts.record(for: from.id), try await accounts.record(for: to.id)])
            try expect("The balances", saved.map(\.balance), equals: [70, 35])
        },
        ConformanceRule(
            .batches, "transfers by transactions keep the sum (seed 1)",
            law:
                "Tasks that move amounts between records at random lose and create none, and no transaction reads another sum.",
            source: .cabinet("Database.transaction")
        ) { world in
            try await Transfers(seed: 1, accounts: 6, tasks: 4, count: 12).run(in: { try world.privateDatabase() })
        },
    ]
}

private struct Accounts: RecordFields {
    static let recordType = "Accounts"
    let balance = Field<Int>("balance", default: 0)
}

private struct Entries: RecordFields {
    static let recordType = "Entries"
    let account = Link<Accounts>("account")
    let amount = Field<Int>("amount", default: 0)
}
