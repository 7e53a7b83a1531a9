import Cabinet
import Foundation

extension ConformanceRule {
    /// Concurrent requests.
    static let concurrency: [ConformanceRule] = [
        ConformanceRule(
            .concurrency, "retrying loses no update",
            law:
                "Several devices add to one number, each starting from its own version. In the end the number is the sum.",
            source: .cloudKit("CKModifyRecordsOperation.h, savePolicy")
        ) { world in
            try await world.privateDatabase().save(Record("Items", "counter", ["number": 0]))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    let database = try world.privateDatabase()
                    group.addTask { for _ in 0..<5 { try await database.addOne("counter") } }
                }
                try await group.waitForAll()
            }
            let number: Int? = try await world.privateDatabase().fetch("counter")["number"]
            try expect("The number", number, equals: 30)
        },
        ConformanceRule(
            .concurrency, "only one of many concurrent creations succeeds",
            law:
                "If several devices save a new record under one name, one succeeds, and the others get serverRecordChanged.",
            source: .cloudKit("CKError.h, serverRecordChanged")
        ) { world in
            for round in 0..<10 {
                let name = "r\(round)"
                let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for device in 0..<4 {
                        let database = try world.privateDatabase()
                        group.addTask {
                            do {
                                try await database.save(Record("Items", name, ["device": device]))
                                return true
                            } catch CabinetError.Code.serverRecordChanged {
                                return false
                            }
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                try expect("The devices that made \(name)", wins, equals: 1)
            }
        },
        ConformanceRule(
            .concurrency, "a batch is seen whole by concurrent queries",
            law: "A query during saves of batches sees each batch whole or not at all.",
            source: .cabinet("consistency")
        ) { world in
            let writers = 3
            let database = try world.privateDatabase()
            // Coins that are exchanged for others: each writer always has one, and their total value is constant.
            try await database.saveAll((0..<writers).map { Record("Coins", "c\($0).0", ["worth": 5]) })
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for turn in 0..<12 {
                            let new = Record("Coins", "c\(writer).\(turn + 1)", ["worth": 5])
                            try await database.save([new], deleting: [.named("c\(writer).\(turn)")])
                        }
                        return true
                    }
                }
                var remaining = writers
                let looking = { @Sendable in
                    let coins = try await database.allRecords(matching: Query(recordType: "Coins"))
                    try expect("The coins", coins.count, equals: writers)
                    try expect(
                        "The number", try await database.count(matching: Query(recordType: "Coins")), equals: writers)
                    let sum = try await database.sum(of: "worth", matching: Query(recordType: "Coins"), as: Int.self)
                    try expect("The worth", sum, equals: 5 * writers)
                    return false
                }
                for _ in 0..<2 { group.addTask(operation: looking) }
                while let isWriter = try await group.next() {
                    if isWriter { remaining -= 1 } else if remaining > 0 { group.addTask(operation: looking) }
                }
            }
        },
        ConformanceRule(
            .concurrency, "a concurrent deletion leaves no dangling reference",
            law:
                "If one device deletes a record while another saves a reference to it, the reference is deleted too, or refused.",
            source: .cabinet("references")
        ) { world in
            for round in 0..<10 {
                let database = try world.privateDatabase()
                let list = "list\(round)"
                try await database.save(Record("Lists", list))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<3 {
                        group.addTask {
                            do {
                                try await database.save(
                                    Record("Items", "item\(round).\(number)", ["list": Reference(list, .deleteSelf)]))
                            } catch CabinetError.Code.referenceViolation {}
                        }
                    }
                    group.addTask { try await database.deleteRecord(withID: .named(list)) }
                    try await group.waitForAll()
                }
                try expect("The items of a deleted list", try await database.names(), equals: [])
            }
        },
        ConformanceRule(
            .concurrency, "concurrent transactions lose no update",
            law: "Of two transactions that read and write one record, one reads the value that the other wrote.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            let backend = world.backend
            _ = try await backend.write(.public) { try await $0.store([("counter", 0)]) }
            for _ in 0..<3 {
                let barrier = Barrier(of: 2)
                try await backend.writeTwice { transaction, _ in
                    let number = try await transaction.number("counter")
                    await barrier.join()
                    try await transaction.store([("counter", number + 1)])
                }
            }
            try expect("The counter", try await backend.record("counter")?.x, equals: .int64(6))
        },
        ConformanceRule(
            .concurrency, "concurrent transactions have no write skew",
            law:
                "Of two transactions that each write after a read, of any kind, that the other's write changes, one reads what the other "
                + "wrote.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            let backend = world.backend
            let doctors = ["alice", "bob"]
            for _ in 0..<3 {
                _ = try await backend.write(.public) { try await $0.store(doctors.map { ($0, 1) }) }
                let barrier = Barrier(of: 2)
                // A doctor goes home if another doctor remains on call.
                try await backend.writeTwice { transaction, index in
                    var onCall: Int64 = 0
                    for doctor in doctors { onCall += try await transaction.number(doctor) }
                    await barrier.join()
                    if onCall > 1 { try await transaction.store([(doctors[index], 0)]) }
                }
                let left = try await backend.read(.public) { snapshot in
                    var onCall: Int64 = 0
                    for doctor in doctors { onCall += try await snapshot.number(doctor) }
                    return onCall
                }
                try expect("The doctors on call", left, equals: 1)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for probe in WriteSkewProbe.all { group.addTask { try await probe.check(backend) } }
                if backend.abilities.assets != nil { group.addTask { try await world.checkAssetSkew() } }
                try await group.waitForAll()
            }
        },
        ConformanceRule(
            .concurrency, "every read of a snapshot sees one state",
            law:
                "By ID, by query, along key paths, counted, summed, by references and changes, a snapshot shows one state while others "
                + "write.",
            source: .storage("StorageBackend.read(_:_:)")
        ) { world in
            let backend = world.backend
            _ = try await backend.write(.public) { try await $0.store([("a", 10), ("b", 10)]) }
            try await backend.write(.public) {
                try await $0.add([StoredField(name: "to", type: .reference)], to: "Links")
            }
            // Stores a record that refers to the account a.
            let link = { @Sendable (name: String) async throws in
                try await backend.write(.public) { transaction in
                    var link = StoredRecord.sample(name, .reference(Reference("a", .deny)), type: "Links", field: "to")
                    link.sequenceNumber = try await transaction.reserveSampleNumbers(1)
                    try await transaction.insert([link])
                }
            }
            try await link("link")
            // Between any two reads, money moves from one account to the other, and a new account is opened.
            let move = { @Sendable (round: Int) async throws in
                try await backend.write(.public) { transaction in
                    let (a, b) = (try await transaction.number("a"), try await transaction.number("b"))
                    try await transaction.store([("a", a - 1), ("b", b + 1), ("c\(round)", 0)])
                }
                try await link("link\(round)")
            }
            let plan = try QueryPlan(recordType: "Samples", filter: .constant(true), fields: ["x": .int64])
            let rich = try QueryPlan(
                recordType: "Samples", filter: .compare("x", .greaterThan, 9), fields: ["x": .int64])
            try await backend.read(.public) { snapshot in
                let last = try await snapshot.lastSampleNumber()
                try await move(1)
                try expect("By ID", try await snapshot.number("a"), equals: 10)
                try await move(2)
                try expect(
                    "By query", try await snapshot.records(matching: plan).map(\.x), equals: [.int64(10), .int64(10)])
                try await move(3)
                try expect("Counted", try await snapshot.count(matching: rich), equals: 2)
                try await move(4)
                try expect("Summed", try await snapshot.value(of: .sum, over: "x", matching: plan), equals: .int64(20))
                try await move(5)
                try expect(
                    "By value", try await snapshot.counts(by: "x", matching: plan).map(\.count), equals: [2])
                try await move(6)
                let changes = try await snapshot.changes(
                    in: .default, after: 0, limit: 100, of: .all(fields: nil))
                try expect("The changes", changes.map(\.sequenceNumber).max(), equals: last)
                try expect("The number of changes", changes.count, equals: 3)
                try expect("The entry", try await snapshot.lastSampleNumber(), equals: last)
                let entries = try await snapshot.entries(in: .samples, limit: 100)
                try expect("The entries", entries.map(\.text), equals: ["\(last)"])
                try expect("By ID again", try await snapshot.number("b"), equals: 10)
                try await move(7)
                let sources = try await snapshot.references(to: [.named("a")]).map(\.source.recordName)
                try expect("By reference", sources, equals: ["link"])
                try await move(8)
                let linked = try QueryPlan(
                    recordType: "Links", filter: Filter("to.x = 10"),
                    fields: FieldTypes(of: "Links", in: try await snapshot.schema()))
                let found = try await snapshot.records(matching: linked).map(\.recordID.recordName)
                try expect("Along a key path", found, equals: ["link"])
            }
            try expect("The other account, afterwards", try await backend.record("b")?.x, equals: .int64(18))
        },
    ]
}

extension Database {
    /// Adds one to the number of a record, and retries after each conflict.
    func addOne(_ name: String) async throws {
        var record = try await fetch(name)
        for _ in 0..<1000 {
            let number: Int = try require(record["number"], "The number")
            record["number"] = number + 1
            do {
                try await save(record)
                return
            } catch let error as CabinetError where error.code == .serverRecordChanged {
                record = try require(error.serverRecord, "The server's record")
            }
        }
        throw ConformanceFailure(message: "The save never stops conflicting.", fileID: nil, line: nil)
    }
}

extension StorageBackend {
    /// Runs two transactions concurrently, as far as the backend permits.
    fileprivate func writeTwice(
        _ body: @escaping @Sendable (any StorageTransaction, _ index: Int) async throws -> Void
    ) async throws {
        async let first: Void = write(.public) { try await body($0, 0) }
        async let second: Void = write(.public) { try await body($0, 1) }
        _ = try await (first, second)
    }
}
