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
            // The first save caches the subscriptions.
            try await database.save(item("first"))
            return [item("new")]
        },
        Save("a custom zone") { database in
            let zone = try await database.save(RecordZone(zoneName: "Travel"))
            return [item("new", zone: zone.zoneID)]
        },
        Save("a custom zone of the public database", in: { $0.publicDatabase }) { database in
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

    @Test("Subscriptions are loaded once after they have changed, and for the types that a cascade deletes")
    func subscriptions() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "com.example.costs", backend: backend).privateDatabase
        func calls(_ body: () async throws -> Void) async throws -> [CountingBackend.Call] {
            backend.forgetVisits()
            try await body()
            return backend.visits.flatMap(\.calls)
        }
        func subscribe(_ type: String) async throws {
            try await database.save(
                QuerySubscription(
                    recordType: type, filter: .constant(false), subscriptionID: type, options: .firesOnRecordDeletion))
        }
        var list = Record(recordType: "Lists", recordID: RecordID(recordName: "list"))
        list["name"] = "List"
        var item = Self.item("item")
        item["list"] = Reference(record: list, action: .deleteSelf)
        try await database.save(list)
        try await database.save(item)
        try await subscribe("Items")
        #expect(try await calls { try await database.save(Self.item("a")) } == [.load, .load, .apply])
        #expect(try await calls { try await database.save(Self.item("b")) } == [.load, .apply])
        #expect(try await calls { try await database.save(Record(recordType: "Other")) } == [.load, .apply])
        try await subscribe("Lists")
        #expect(try await calls { try await database.save(Self.item("c")) } == [.load, .apply])
        // The list; the groups of records that refer to it; the references to it, and to the item; the item; the versions of both types,
        // and the subscriptions of lists.
        let deletion = try await calls { try await database.deleteRecord(withID: list.recordID) }
        #expect(deletion == [.load, .groups, .references, .references, .load, .load, .load, .apply])
    }

    @Test("A cascade over many records reads none of them, unless a subscription may fire")
    func manyRecords() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "com.example.costs", backend: backend).privateDatabase
        func deletion() async throws -> [CountingBackend.Call] {
            let list = Record(recordType: "Lists", recordID: RecordID(recordName: "list"))
            let items = (0..<100).map { number in
                var item = Self.item("\(number)")
                item["list"] = Reference(record: list, action: .deleteSelf)
                return item
            }
            _ = try await database.modifyRecords(saving: [list] + items, deleting: [])
            backend.forgetVisits()
            try await database.deleteRecord(withID: list.recordID)
            #expect(try await database.count(matching: Query(recordType: "Items")) == 0)
            return backend.visits.first { $0.isWrite }?.calls ?? []
        }
        // The list; its group, and whether others refer to that; the versions of the types' subscriptions.
        #expect(try await deletion() == [.load, .groups, .groups, .load, .delete, .apply])
        try await database.save(
            QuerySubscription(
                recordType: "Items", filter: .constant(false), subscriptionID: "items",
                options: .firesOnRecordDeletion))
        let calls = try await deletion()
        #expect(calls.contains(.references) && !calls.contains(.delete), "\(calls)")
    }

    @Test("A save loads the same beside any number of subscriptions to other types, and beside cached ones")
    func otherSubscriptions() async throws {
        func loads(beside count: Int, to type: String) async throws -> [CountingBackend.Load] {
            let backend = CountingBackend()
            for user in 0..<count / 100 {
                let account = Account(userRecordName: "_user\(user)")
                let container = try Container(identifier: "com.example.costs", backend: backend, account: account)
                let subscriptions = (0..<100).map { number in
                    Subscription.query(
                        QuerySubscription(
                            recordType: type, filter: .field("number") > number, options: .firesOnRecordCreation))
                }
                let results = try await container.publicDatabase.modifySubscriptions(
                    saving: subscriptions, deleting: [])
                for result in results.saveResults.values { _ = try result.get() }
            }
            let database = try Container(identifier: "com.example.costs", backend: backend).publicDatabase
            try await database.save(Self.item("old"))
            backend.forgetVisits()
            try await database.save(Self.item("new"))
            try await database.save(RecordZone(zoneName: "Travel"))
            return backend.loads
        }
        let none = try await loads(beside: 0, to: "Lists")
        #expect(none.map(\.foundCount) == [0, 0])
        #expect(none.first?.entries.count == 4)
        #expect(try await loads(beside: 2_000, to: "Lists") == none)
        #expect(try await loads(beside: 300, to: "Items") == none)
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
