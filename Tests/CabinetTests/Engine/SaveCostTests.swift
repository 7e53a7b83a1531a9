import Cabinet
import Testing

/// Each call of a view is a round trip to a server.
@Suite("The calls of a save at the seam")
struct SaveCostTests {
    /// A save that deletes nothing.
    struct Save: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let database: @Sendable (Container) -> Database
        /// Prepares the database, and returns the records to save.
        let records: @Sendable (Database) async throws -> [Record]

        init(
            _ name: String, in database: @escaping @Sendable (Container) -> Database = { $0.privateDatabase },
            _ records: @escaping @Sendable (Database) async throws -> [Record]
        ) {
            testDescription = name
            self.database = database
            self.records = records
        }
    }

    private static func item(_ name: String, zone: RecordZone.ID = .default) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zone))
        record["number"] = 1
        return record
    }

    static let saves = [
        Save("a new record") { _ in [item("new")] },
        Save("a record of a new type") { _ in [Record(recordType: "New")] },
        Save("an update") { database in
            var record = try await database.record(for: RecordID(recordName: "old"))
            record["number"] = 2
            return [record]
        },
        Save("a batch of a hundred") { _ in (0..<100).map { item("r\($0)") } },
        Save("references with delete rules") { database in
            var record = item("new")
            record["list"] = Reference(recordID: RecordID(recordName: "old"), action: .deleteSelf)
            record.setParent(item("old"))
            return [record]
        },
        Save("a subscription that fires") { database in
            let subscription = QuerySubscription(
                recordType: "Items", filter: .field("number") > 0, subscriptionID: "some",
                options: [.firesOnRecordCreation])
            try await database.save(subscription)
            return [item("new")]
        },
        Save("a custom zone") { database in
            let zone = try await database.save(RecordZone(zoneName: "Travel"))
            return [item("new", zone: zone.zoneID)]
        },
        Save("the public database", in: { $0.publicDatabase }) { _ in [item("new")] },
    ]

    @Test("A save that deletes nothing is one load and one apply", arguments: saves)
    func calls(of save: Save) async throws {
        let backend = CountingBackend()
        let database = save.database(try Container(identifier: "com.example.costs", backend: backend))
        try await database.save(Self.item("old"))
        let records = try await save.records(database)
        backend.forgetVisits()
        let results = try await database.modifyRecords(saving: records, deleting: []).saveResults
        for result in results.values { _ = try result.get() }
        #expect(backend.visits == [CountingBackend.Visit(isWrite: true, calls: [.load, .apply])])
    }

    @Test("Unique values cost one query for each hundred values, and nothing if they do not change")
    func uniqueValues() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "com.example.costs", backend: backend).privateDatabase
        var schema = Schema()
        schema["Items"]["number"] = Schema.Field(.int64)
        schema["Items"].uniqueKeys = [["number"]]
        try await database.apply(schema)
        var items = (0..<150).map { number in
            var record = Self.item("r\(number)")
            record["number"] = number
            return record
        }
        func visits(saving records: [Record]) async throws -> [CountingBackend.Visit] {
            backend.forgetVisits()
            let results = try await database.modifyRecords(saving: records, deleting: []).saveResults
            for index in items.indices {
                if let saved = try results[items[index].recordID]?.get() { items[index] = saved }
            }
            return backend.visits
        }
        func visit(_ calls: [CountingBackend.Call]) -> [CountingBackend.Visit] {
            [CountingBackend.Visit(isWrite: true, calls: calls)]
        }
        #expect(try await visits(saving: [items[0]]) == visit([.load, .records, .apply]))
        #expect(try await visits(saving: Array(items[1...])) == visit([.load, .records, .records, .apply]))
        items[0]["text"] = "other"
        #expect(try await visits(saving: [items[0]]) == visit([.load, .apply]))
        #expect(try await visits(saving: [Record(recordType: "Other")]) == visit([.load, .apply]))
    }
}
