import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// The rules about the work of a request, and about requests whose task is cancelled.
    static let work: [ConformanceRule] = [
        ConformanceRule(
            .limits, "a request that takes too much work is refused",
            law: "A query that takes more work than Limits.workPerRequest throws limitExceeded; others succeed.",
            source: .cabinet("work")
        ) { world in
            try await world.privateDatabase().saveAll(
                (0..<3).map { Record("Items", "r\($0)", ["text": String(repeating: "a", count: 24)]) })
            let database = try world.container(limits: Limits(workPerRequest: 200_000)).privateDatabase
            // The steps of the expression double with every second character: about 400,000 for each of the records.
            let query = Query(recordType: "Items", filter: try Filter("text MATCHES '(a|aa)*b'"))
            for _ in 0..<2 {
                try await expectError(.limitExceeded, naming: ["200000"]) { try await database.count(matching: query) }
                try await expectError(.limitExceeded) { try await database.allRecords(matching: query) }
                try await expectError(.limitExceeded) { try await database.counts(by: "text", matching: query) }
            }
            let simple = Query(recordType: "Items", filter: .field("text").beginsWith("a"))
            try expect("The records of another query", try await database.count(matching: simple), equals: 3)
            let unlimited = try world.container(limits: .none).privateDatabase
            try expect("The records without a limit", try await unlimited.count(matching: query), equals: 0)
        },
        ConformanceRule(
            .limits, "a cancelled task's request is refused",
            law: "Every request of a cancelled task throws operationCancelled, and changes nothing.",
            source: .cabinet("work")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            let old = try await database.save(Record("Items", "old"))
            let id = old.recordID
            let query = Query(recordType: "Items", filter: .constant(true))
            let zone = RecordZone(zoneName: "new")
            try await expectCancelled { _ = try await database.save(Record("Items", "new")) }
            try await expectCancelled { _ = try await database.deleteRecord(withID: id) }
            try await expectCancelled { _ = try await database.save(zone) }
            try await expectCancelled { _ = try await database.save(DatabaseSubscription(subscriptionID: "new")) }
            try await expectCancelled { _ = try await database.record(for: id) }
            try await expectCancelled { _ = try await database.records(matching: query) }
            try await expectCancelled { _ = try await database.count(matching: query) }
            try await expectCancelled { _ = try await database.counts(by: "recordID", matching: query) }
            try await expectCancelled { _ = try await database.allRecordZones() }
            try await expectCancelled { _ = try await database.allSubscriptions() }
            try await expectCancelled { _ = try await database.recordZoneChanges(inZoneWith: .default, since: nil) }
            try await expectCancelled { _ = try await database.databaseChanges(since: nil) }
            try await expectCancelled { _ = try await container.schema() }
            try await expectCancelled { _ = try await container.fetchNotifications(since: nil) }
            try expect("The records", try await database.names(), equals: ["old"])
            try expect("The zones", try await database.allRecordZones().map(\.zoneID), equals: [.default])
            try expect("The subscriptions", try await database.allSubscriptions().count, equals: 0)
        },
        ConformanceRule(
            .limits, "a write that is cancelled before it commits changes nothing",
            law:
                "A request whose task is cancelled in its transaction throws operationCancelled, and changes nothing. At its commit it may "
                + "also succeed.",
            source: .cabinet("work")
        ) { world in
            let cancellation = Cancellation()
            // The clock is read within the transaction.
            let container = try Container(
                identifier: "com.example.conformance", backend: world.backend, account: ConformanceWorld.account,
                now: {
                    cancellation.cancel()
                    return world.clock.now()
                })
            let (began, start) = AsyncStream<Void>.makeStream()
            let task = Task {
                for await _ in began {}
                try await container.privateDatabase.save(RecordZone(zoneName: "Attic"))
            }
            cancellation.set { task.cancel() }
            start.finish()
            try await expectError(.operationCancelled) { try await task.value }
            let database = try world.privateDatabase()
            try expect("The zones", try await database.allRecordZones().map(\.zoneID), equals: [.default])
            try await database.save(RecordZone(zoneName: "Attic"))
            try expect("The number of zones", try await database.allRecordZones().count, equals: 2)
            for name in ["a", "b", "c"] {
                let backend = CancellingBackend(base: world.backend)
                let database = try Container(
                    identifier: "com.example.conformance", backend: backend, account: ConformanceWorld.account
                ).privateDatabase
                var stored = [name]
                do {
                    try await backend.cancelling(at: .commit, 1) { try await database.save(Record("Items", name)) }
                } catch CabinetError.Code.operationCancelled {
                    stored = []
                }
                try expect("The record after the cancellation", try await database.existing([name]), equals: stored)
            }
        },
        ConformanceRule(
            .limits, "a cascade that is cancelled reads and changes no more",
            law: "A deletion whose task is cancelled in a cascade throws operationCancelled soon, and changes nothing.",
            source: .cabinet("work")
        ) { world in
            let depth = 40
            var chain: [String: String?] = ["n0": nil]
            for index in 1..<depth { chain["n\(index)"] = "n\(index - 1)" }
            try await world.privateDatabase().saveNodes(chain)
            // A cascade reads the references of this chain in as many calls as it has records, and applies its deletions after that.
            for (call, number, reads) in [(CancellingBackend.Call.references, 3, 3...8), (.apply, 1, 8...100)] {
                let backend = CancellingBackend(base: world.backend)
                let database = try world.on(backend).privateDatabase()
                try await expectError(.operationCancelled) {
                    try await backend.cancelling(at: call, number) {
                        try await database.deleteRecord(withID: .named("n0"))
                    }
                }
                let count = backend.count(of: .references)
                try expect(
                    "Whether a cascade that was cancelled in \(call) \(number) read \(count) times",
                    reads.contains(count), equals: true)
                try expect(
                    "The number of records", try await world.privateDatabase().names("Nodes").count, equals: depth)
            }
            try await world.privateDatabase().deleteRecord(withID: .named("n0"))
            try expect("The records", try await world.privateDatabase().names("Nodes"), equals: [])
        },
    ]
}

/// Throws unless a request of a cancelled task throws `operationCancelled`.
private func expectCancelled(
    fileID: String = #fileID, line: Int = #line, _ body: @escaping @Sendable () async throws -> Void
) async throws {
    let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await body()
    }
    try await expectError(.operationCancelled, fileID: fileID, line: line) { try await task.value }
}
