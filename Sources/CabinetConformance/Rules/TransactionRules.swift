import Cabinet
import Synchronization

extension ConformanceRule {
    /// The core's requirements for a backend's transactions.
    static let transactions: [ConformanceRule] = [
        ConformanceRule(
            .transactions, "an unknown database is empty",
            law: "A database that was never written is empty: no records, no types, no references.",
            source: .storage("StorageBackend.read(_:_:)")
        ) { world in
            for key in [DatabaseKey.public, .private(owner: "nobody"), .shared(owner: "nobody")] {
                try await world.backend.read(key) { snapshot in
                    let found = try await snapshot.records(for: [.named("a")], keys: nil)
                    try expect("The records", found, equals: [nil])
                    try expect("The schema", try await snapshot.schema(), equals: StoredSchema())
                    try expect("The references", try await snapshot.references(to: [.named("a")]), equals: [])
                    let plan = try QueryPlan(recordType: "Samples", filter: .constant(true), fields: [:])
                    try expect("The query's records", try await snapshot.records(matching: plan), equals: [])
                    try expect("The count", try await snapshot.count(matching: plan), equals: 0)
                }
            }
        },
        ConformanceRule(
            .transactions, "a snapshot does not change",
            law: "A snapshot holds the writes that returned before it began, and no part of a write that runs "
                + "beside it.",
            source: .storage("StorageBackend.read(_:_:)")
        ) { world in
            let backend = world.backend
            try await backend.insert([
                .sample("kept", .int64(1)), .sample("changed", .int64(1)), .sample("other1", .int64(1)),
            ])
            // A backend may run the closure again, with a snapshot that holds the writes of the earlier runs.
            let runs = Mutex<Int64>(0)
            try await backend.read(.public) { snapshot in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                try expect("The value before", try await snapshot.x("changed"), equals: .int64(run))
                try await backend.write(.public) { transaction in
                    try await transaction.add([StoredField(name: "y\(run)", type: .string)], to: "Samples")
                    try await transaction.insert([.sample("other\(run + 1)", .int64(1))])
                    try await transaction.update([.sample("changed", .int64(run + 1))])
                    try await transaction.remove([.named("other\(run)")])
                }
                try expect("The names after", try await snapshot.names(), equals: ["changed", "kept", "other\(run)"])
                try expect("The value after", try await snapshot.x("changed"), equals: .int64(run))
                let schema = try await snapshot.schema()
                try expect("The fields after", schema.recordTypes["Samples"]?.count, equals: Int(run))
                let plan = try QueryPlan(recordType: "Samples", filter: .constant(true), fields: ["x": .int64])
                try expect("The count after", try await snapshot.count(matching: plan), equals: 3)
            }
            let last = "other\(runs.withLock(\.self) + 1)"
            try expect("The names in a new snapshot", try await backend.names(), equals: ["changed", "kept", last])
        },
        ConformanceRule(
            .transactions, "a snapshot is fixed when it begins",
            law: "A write that begins after the snapshot did is not in it, even if nothing was read before the write.",
            source: .storage("StorageBackend.read(_:_:)")
        ) { world in
            let backend = world.backend
            try await backend.insert([.sample("a", .int64(1))])
            // A backend may run the closure again, with a snapshot that holds the writes of the earlier run.
            let written = Mutex<Int64>(1)
            try await backend.read(.public) { snapshot in
                let before = written.withLock(\.self)
                try await backend.write(.public) { try await $0.update([.sample("a", .int64(before + 1))]) }
                written.withLock { $0 = before + 1 }
                try expect("The value", try await snapshot.x("a"), equals: .int64(before))
            }
        },
        ConformanceRule(
            .transactions, "a snapshot sees no uncommitted write",
            law: "A transaction's writes become visible to others when the transaction has returned, and not before.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            let backend = world.backend
            try await backend.insert([.sample("a", .int64(1))])
            try await backend.write(.public) { transaction in
                try await transaction.update([.sample("a", .int64(2))])
                try await transaction.insert([.sample("b", .int64(2))])
                let names = try await backend.names()
                try expect("The names beside the write", names, equals: ["a"])
                try expect("The value beside the write", try await backend.record("a")?.x, equals: .int64(1))
            }
            try expect("The names after the write", try await backend.names(), equals: ["a", "b"])
            // A commit is one step, however many mutations it has.
            let records = (0..<2400).map { StoredRecord.sample("r\($0)", .int64(1)) }
            let ends = [0, 2399].map { records[$0].recordID }
            let isOver = Signal()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await backend.write(.public) { transaction in
                        for part in records.parts(of: 800) { try await transaction.insert(Array(part)) }
                    }
                    await isOver.give()
                }
                group.addTask {
                    while await !isOver.isGiven {
                        try Task.checkCancellation()
                        let exist = try await backend.read(.public) {
                            try await $0.load(StorageKeys(existing: ends)).existing
                        }
                        try expect("The first record exists beside the write", exist[0], equals: exist[1])
                        await Task.yield()
                    }
                }
                try await group.waitForAll()
            }
            try expect("The number of names at the end", try await backend.names().count, equals: 2402)
        },
        ConformanceRule(
            .transactions, "a transaction reads its own writes",
            law: "Reads in a transaction, by ID, query, count, reference or schema, include the earlier writes "
                + "of the transaction.",
            source: .storage("StorageTransaction.apply(_:)")
        ) { world in
            try await world.backend.insert([
                .sample("changed", .int64(1)), .sample("removed", .int64(1)), .sample("target", .int64(0)),
            ])
            try await world.backend.write(.public) { transaction in
                try await transaction.add([StoredField(name: "owner", type: .reference)], to: "Samples")
                try await transaction.add([], to: "Others")
                try await transaction.insert([
                    .sample("new", .reference(Reference("target", .deleteSelf)), field: "owner")
                ])
                try await transaction.update([.sample("changed", .int64(2))])
                try await transaction.remove([.named("removed")])

                let ids: [RecordID] = ["new", "changed", "removed"].map { .named($0) }
                let found = try await transaction.records(for: ids, keys: nil)
                try expect("The records", found.map { $0?.recordID.recordName }, equals: ["new", "changed", nil])
                try expect("The value", found[1]?.x, equals: .int64(2))
                try expect("The names", try await transaction.names(), equals: ["changed", "new", "target"])
                let schema = try await transaction.schema()
                try expect("The types", Set(schema.recordTypes.keys), equals: ["Samples", "Others"])
                try expect("The fields", schema.recordTypes["Samples"], equals: ["x": .int64, "owner": .reference])
                let plan = try QueryPlan(
                    recordType: "Samples", filter: .compare("x", .equal, 2), fields: ["x": .int64, "owner": .reference])
                try expect("The count", try await transaction.count(matching: plan), equals: 1)
                let references = try await transaction.references(to: [.named("target")])
                try expect("The referring records", references.map(\.source), equals: [.named("new")])
            }
        },
        ConformanceRule(
            .transactions, "a transaction that throws changes nothing",
            law: "If the closure of a write throws, records, references, fields and types are unchanged.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            struct Refusal: Error {}
            let backend = world.backend
            try await backend.insert([.sample("changed", .int64(1)), .sample("removed", .int64(1))])
            do {
                try await backend.write(.public) { transaction in
                    try await transaction.add([StoredField(name: "owner", type: .reference)], to: "Samples")
                    try await transaction.add([], to: "Others")
                    try await transaction.insert([
                        .sample("new", .reference(Reference("changed", .deny)), field: "owner")
                    ])
                    try await transaction.update([.sample("changed", .int64(2))])
                    try await transaction.remove([.named("removed")])
                    throw Refusal()
                }
                try expect(false, "The write succeeded.")
            } catch is Refusal {
                try expect("The names", try await backend.names(), equals: ["changed", "removed"])
            }
            try expect("The value", try await backend.record("changed")?.x, equals: .int64(1))
            let (schema, references) = try await backend.read(.public) { snapshot in
                (try await snapshot.schema(), try await snapshot.references(to: [.named("changed")]))
            }
            try expect("The schema", schema.recordTypes, equals: ["Samples": ["x": .int64]])
            try expect("The references", references, equals: [])
            // The rolled-back additions can be added again.
            try await backend.write(.public) { transaction in
                try await transaction.add([StoredField(name: "owner", type: .string)], to: "Samples")
                try await transaction.insert([.sample("new", .string("x"), field: "owner")])
            }
            try expect("The names", try await backend.names(), equals: ["changed", "new", "removed"])
        },
        ConformanceRule(
            .transactions, "writes run one after the other",
            law: "A closure that suspends between its reads and its writes loses no update of another.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            let backend = world.backend
            try await backend.insert([.sample("counter", .int64(0))])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await backend.write(.public) { transaction in
                            guard case .int64(let value)? = try await transaction.x("counter") else { return }
                            for _ in 0..<5 { await Task.yield() }
                            try await transaction.update([.sample("counter", .int64(value + 1))])
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expect("The counter", try await backend.record("counter")?.x, equals: .int64(20))
        },
        ConformanceRule(
            .transactions, "reads run beside a writer",
            law: "A read begins and ends during a write; neither waits for the other.",
            source: .storage("StorageBackend.read(_:_:)")
        ) { world in
            let backend = world.backend
            try await backend.insert([.sample("a", .int64(1))])
            let isWriting = Signal()
            let hasRead = Signal()
            async let writing: Void = backend.write(.public) { transaction in
                try await transaction.update([.sample("a", .int64(2))])
                await isWriting.give()
                await hasRead.wait()
            }
            await isWriting.wait()
            let value = try await backend.record("a")?.x
            await hasRead.give()
            try await writing
            try expect("The value beside the writer", value, equals: .int64(1))
        },
        ConformanceRule(
            .transactions, "databases are separate",
            law: "Databases with different keys are separate: public, private and shared, and those of each owner.",
            source: .storage("DatabaseKey")
        ) { world in
            func owners(ofLength length: Int) -> [String] {
                ["a", "b"].map { String(repeating: "u", count: length - 1) + $0 }
            }
            var keys: [DatabaseKey] = [
                .public, .private(owner: "a"), .private(owner: "A"), .private(owner: "b"), .shared(owner: "a"),
                .shared(owner: "b"),
                .private(owner: "public"),
            ]
            keys += owners(ofLength: 200).flatMap { [.private(owner: $0), .shared(owner: $0)] }
            for (index, key) in keys.enumerated() {
                try await world.backend.insert([.sample("same", .int64(Int64(index)))], in: key)
            }
            // A backend whose files have the names of users may refuse the longest names.
            for key in owners(ofLength: 255).map(DatabaseKey.private) {
                do {
                    try await world.backend.insert([.sample("same", .int64(Int64(keys.count)))], in: key)
                    keys.append(key)
                } catch CabinetError.Code.invalidArguments {}
            }
            for (index, key) in keys.enumerated() {
                let record = try await world.backend.record("same", in: key)
                try expect("The value in \(key)", record?.x, equals: .int64(Int64(index)))
                try expect("The names in \(key)", try await world.backend.names(in: key), equals: ["same"])
            }
        },
        ConformanceRule(
            .transactions, "a closed backend is unavailable",
            law: "After close, reads and writes throw serviceUnavailable, and closing again has no effect.",
            source: .storage("StorageBackend.close()")
        ) { world in
            let backend = world.backend
            try await backend.insert([.sample("a", .int64(1))])
            let database = try world.privateDatabase()
            await backend.close()
            await backend.close()
            for key in [DatabaseKey.public, .private(owner: "new")] {
                try await expectError(.serviceUnavailable) { try await backend.names(in: key) }
                try await expectError(.serviceUnavailable) {
                    try await backend.write(key) { try await $0.add([], to: "Type") }
                }
            }
            try await expectError(.serviceUnavailable) { try await database.fetch("a") }
            try await expectError(.serviceUnavailable) { try await database.save(Record("Items", "a")) }
        },
        ConformanceRule(
            .transactions, "closing waits for running transactions",
            law: "Transactions that began before close are finished before it returns, and their changes are kept.",
            source: .storage("StorageBackend.close()")
        ) { world in
            let backend = world.backend
            let isWriting = Signal()
            let mayEnd = Signal()
            let hasWritten = Signal()
            let writing = Task {
                try await backend.write(.public) { transaction in
                    await isWriting.give()
                    await mayEnd.wait()
                    try await transaction.add([StoredField(name: "x", type: .int64)], to: "Samples")
                    try await transaction.insert([.sample("a", .int64(1))])
                    let number = try await transaction.reserveSampleNumbers(1)
                    await hasWritten.give()
                    return number
                }
            }
            await isWriting.wait()
            let closing = Task {
                await backend.close()
                return await hasWritten.isGiven
            }
            for _ in 0..<100 { await Task.yield() }
            await mayEnd.give()
            let number = try await writing.value
            try expect("Whether the transaction ended before close returned", await closing.value, equals: true)
            try expect(number >= 1, "The transaction reserved the number \(number).")
        },
    ]
}
