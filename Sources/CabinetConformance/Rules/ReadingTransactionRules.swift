import Cabinet

extension ConformanceRule {
    /// Transactions that save what depends on the records that they have read.
    static let readingTransactions: [ConformanceRule] = [
        ConformanceRule(
            .batches, "a transaction saves and deletes what its closure did",
            law: "The writes are applied at once when the closure returns, and its result has the stored records.",
            source: .cabinet("Database.transaction")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Items", "a", ["number": 1]), Record("Items", "old")])
            let saved = try await database.transaction { t in
                var a = try await t.record(for: .named("a"))
                a["number"] = (a["number"] ?? 0) + 1
                let new = Record("Items", "new", ["number": a["number"] as Int?])
                try t.save([a, new])
                try t.delete(.named("old"))
                try expect("The records meanwhile", try await database.names(), equals: ["a", "old"])
                return [a, new]
            }
            try expect("The records", try await database.names(), equals: ["a", "new"])
            try expect("The result", saved, equals: [try await database.fetch("a"), try await database.fetch("new")])
            try expect("The number", saved[1]["number"], equals: 2)
        },
        ConformanceRule(
            .batches, "a transaction that has read a changed record runs again",
            law:
                "If a record that was read, and need not be written, has changed or is deleted, the closure runs again and reads the new state.",
            source: .cabinet("Database.transaction")
        ) { world in
            let (database, other) = (try world.privateDatabase(), try world.privateDatabase())
            try await database.saveAll([
                Record("Items", "price", ["number": 1]), Record("Items", "stock", ["number": 1]),
            ])
            let changes: [() async throws -> Void] = [
                { try await other.update(.named("price")) { $0["number"] = 5 } },
                { try await other.deleteRecord(withID: .named("stock")) },
            ]
            var attempts = 0
            try await database.transaction { t in
                let read = try await t.records(for: [.named("price"), .named("stock")])
                if attempts < changes.count { try await changes[attempts]() }
                attempts += 1
                let price: Int? = read[.named("price")]?.record?["number"]
                try t.save(Record("Items", "offer", ["number": price, "done": read[.named("stock")]?.record == nil]))
            }
            try expect("The attempts", attempts, equals: 3)
            let offer = try await database.fetch("offer")
            try expect("The price", offer["number"], equals: 5)
            try expect("The absence", offer["done"], equals: true)
        },
        ConformanceRule(
            .batches, "two transactions do not skew each other's writes",
            law:
                "Of two transactions that each write one of two records after reading both, the second sees the first's write.",
            source: .cabinet("Database.transaction")
        ) { world in
            for round in 0..<4 {
                let database = try world.privateDatabase()
                let names = ["left \(round)", "right \(round)"]
                try await database.saveAll(names.map { Record("Doctors", $0, ["onCall": 1]) })
                let meeting = Barrier(of: 2)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for name in names {
                        group.addTask {
                            try await world.privateDatabase().transaction { t in
                                let read = try await t.records(for: names.map { .named($0) })
                                let count = read.values.count { $0.record?["onCall"] == 1 }
                                await meeting.join()
                                // One of the two must stay.
                                guard count == 2, let own = read[.named(name)]?.record else { return }
                                try t.save(own.with(["onCall": 0]))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let sum = try await database.names("Doctors", where: .compare("onCall", .equal, 1)).count
                try expect("The doctors on call after round \(round)", sum, equals: round + 1)
            }
        },
        ConformanceRule(
            .batches, "a transaction depends on the absence of a record",
            law:
                "If another client saves a record that the transaction has not found, the closure runs again and finds it.",
            source: .cabinet("Database.transaction")
        ) { world in
            let (database, other) = (try world.privateDatabase(), try world.privateDatabase())
            var found: [String] = []
            try await database.transaction { t in
                do {
                    found.append(try await t.record(for: .named("lock"))["name"] ?? "")
                } catch CabinetError.Code.unknownItem {
                    if found.isEmpty { try await other.save(Record("Locks", "lock", ["name": "theirs"])) }
                    found.append("none")
                    try t.save(Record("Locks", "owner", ["name": "mine"]))
                }
            }
            try expect("What the attempts have found", found, equals: ["none", "theirs"])
            try expect("The records", try await database.names("Locks"), equals: ["lock"])
        },
        ConformanceRule(
            .batches, "the reads of a transaction are of one state",
            law:
                "A read after another client has changed an earlier one begins the closure again, even if it ignores the error.",
            source: .cabinet("Database.transaction")
        ) { world in
            let (database, other) = (try world.privateDatabase(), try world.privateDatabase())
            try await database.saveAll([Record("Items", "a", ["number": 0]), Record("Items", "b", ["number": 0])])
            var seen: [[Int?]] = []
            let result = try await database.transaction { t in
                let a: Int? = try await t.record(for: .named("a"))["number"]
                if seen.isEmpty {
                    try await other.transaction { t in
                        for name in ["a", "b"] { try t.save(try await t.record(for: .named(name)).with(["number": 1])) }
                    }
                }
                let read = try? await t.record(for: .named("b"))
                let b: Int? = read?["number"]
                seen.append([a, b])
                return [a, b]
            }
            try expect("What the attempts have read", seen, equals: [[0, nil], [1, 1]])
            try expect("The result", result, equals: [1, 1])
            // A change of other records is of no concern.
            var attempts = 0
            try await database.transaction { t in
                attempts += 1
                let a = try await t.record(for: .named("a"))
                try await other.save(Record("Items", "c\(attempts)"))
                let b = try await t.record(for: .named("b"))
                try t.save(a.with(["number": b["number"]]))
            }
            try expect("The attempts", attempts, equals: 1)
        },
        ConformanceRule(
            .batches, "a transaction that always conflicts ends",
            law: "After the given number of attempts, the call throws serverRecordChanged, and nothing is saved.",
            source: .cabinet("Database.transaction")
        ) { world in
            let (database, other) = (try world.privateDatabase(), try world.privateDatabase())
            try await database.save(Record("Items", "a", ["number": 0]))
            var attempts = 0
            let error = try await expectError(.serverRecordChanged, naming: ["3 attempts"], about: .named("a")) {
                try await database.transaction(attempts: 3) { t in
                    attempts += 1
                    let a = try await t.record(for: .named("a"))
                    try await other.update(.named("a")) { $0["number"] = ($0["number"] ?? 0) + 1 }
                    try t.save([a.with(["number": -1]), Record("Items", "new")])
                }
            }
            try expect("The attempts", attempts, equals: 3)
            try expect("The cause", (error.underlyingError as? CabinetError)?.code, equals: .serverRecordChanged)
            try expect("The number", try await database.fetch("a")["number"], equals: 3)
            try expect("The records", try await database.names(), equals: ["a"])
        },
        ConformanceRule(
            .batches, "a transaction that fails changes nothing in any zone",
            law:
                "A record that cannot be saved, or an error of the closure, ends the call at once, and no write is applied.",
            source: .cabinet("Database.transaction")
        ) { world in
            struct Refusal: Error {}
            let database = try world.privateDatabase()
            let zone = try await database.save(RecordZone(zoneName: "Other"))
            let stale = try await database.save(Record("Items", "stale"))
            try await database.save(stale.with(["number": 1]))
            let id = RecordID(recordName: "there", zoneID: zone.zoneID)
            var attempts = 0
            let error = try await expectError(.partialFailure) {
                try await database.transaction { t in
                    attempts += 1
                    _ = try? await t.record(for: .named("absent"))
                    try t.save([Record(recordType: "Items", recordID: id), stale.with(["number": 2])])
                }
            }
            try expect("The attempts", attempts, equals: 1)
            try expect("The error", error.partialErrorsByItemID[stale.recordID]?.code, equals: .serverRecordChanged)
            try expect("The other error", error.partialErrorsByItemID[id]?.code, equals: .batchRequestFailed)
            do {
                try await database.transaction { t in
                    try t.save(Record(recordType: "Items", recordID: id))
                    throw Refusal()
                }
                try expect(false, "The transaction succeeded.")
            } catch is Refusal {}
            try expect("The records", try await database.names(), equals: ["stale"])
        },
    ]
}
