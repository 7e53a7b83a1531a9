import Cabinet
import Testing

/// The examples of doc comments that no article shows.
@Suite("Doc comments: their examples run")
struct DocComments {
    private let database: Database
    private let list: Record
    private let query = Query(recordType: "Items", filter: .field("number") > 1)

    init() async throws {
        let container = try Container(identifier: "com.example.comments", backend: MemoryBackend())
        database = container.privateDatabase
        list = try await database.save(Record(recordType: "Lists", recordID: "groceries"))
        for number in 1...3 {
            var item = Record(recordType: "Items")
            item["number"] = number
            item["list"] = Reference(record: list, action: .deleteSelf)
            try await database.save(item)
        }
    }

    @Test("Location and Filter: the nearest shop, and those nearby")
    func locations() async throws {
        let here = Location(latitude: 52.5, longitude: 13.4)
        var shop = Record(recordType: "Shops")
        shop["location"] = Location(latitude: 52.52, longitude: 13.40)
        try await database.save(shop)
        let nearest = Query(
            recordType: "Shops", sortedBy: [Sort("location", distanceFrom: here)])
        #expect(try await database.first(matching: nearest)?.recordID == shop.recordID)
        let nearby = Query(recordType: "Shops", filter: .field("location").distance(to: here) < .kilometers(5))
        #expect(try await database.count(matching: nearby) == 1)
    }

    @Test("Location: a latitude out of range is refused by the save")
    func wrongLatitude() async throws {
        var shop = Record(recordType: "Shops")
        shop["location"] = Location(latitude: 91, longitude: 13.40)
        await #expect { try await database.save(shop) } throws: { CabinetError.Code.invalidArguments ~= $0 }
    }

    @Test("Reference and Sort: items by their list, in the list's order")
    func references() async throws {
        let items = Query(recordType: "Items", filter: .field("list") == list)
        #expect(try await database.count(matching: items) == 3)
        let sorted = Query(recordType: "Items", sortedBy: ["list.name", .descending("number")])
        #expect(try await database.first(matching: sorted)?["number"] as? Int == 3)
    }

    @Test("Database: a page, and the page after it")
    func pages() async throws {
        let page = try await database.records(matching: query, resultsLimit: 1)
        let items = page.matchResults.compactMap { $0.1.record }
        #expect(items.map { $0["number"] as? Int } == [2])
        let cursor = try #require(page.queryCursor)
        let next = try await database.records(continuingMatchFrom: cursor)
        #expect(next.matchResults.count == 1)
    }

    @Test("Database: the result of each record of a batch")
    func batch() async throws {
        let items = [Record(recordType: "Items", recordID: "milk"), Record(recordType: "Items", recordID: "_bread")]
        let (saveResults, _) = try await database.modifyRecords(
            saving: items, deleting: [], atomically: false)
        var failures: [RecordID] = []
        for (recordID, result) in saveResults {
            if case .failure = result { failures.append(recordID) }
        }
        #expect(failures == ["_bread"])
        let saved = try await database.save(["bread", "wine"].map { Record(recordType: "Items", recordID: $0) })
        #expect(saved.map(\.recordID) == ["bread", "wine"])
    }

    @Test("Code: a missing record is caught by its code")
    func missingRecord() async throws {
        let item: Record?
        do {
            item = try await database.record(for: "milk")
        } catch CabinetError.Code.unknownItem {
            item = nil
        }
        #expect(item == nil)
    }

    @Test("Account and QuerySubscription: a container for a user, and a subscription to items")
    func subscription() async throws {
        let backend = MemoryBackend()
        let container = try Container(
            identifier: "com.example.shopping", backend: backend,
            account: Account(userRecordName: "_anna"))
        #expect(try await container.userRecordID() == "_anna")
        let subscription = try await container.privateDatabase.save(
            QuerySubscription(
                recordType: "Items", filter: .field("isDone") == false,
                options: [.firesOnRecordCreation, .firesOnRecordUpdate]))
        #expect(try await container.privateDatabase.allSubscriptions() == [.query(subscription)])
    }

    @Test("LocalDatabaseService: the containers of two users over one backend")
    func users() async throws {
        let backend = MemoryBackend()
        let service = try LocalDatabaseService(backend: backend)
        let ann = try Container(
            identifier: "com.example.notes", service: service,
            account: Account(userRecordName: "_ann"))
        let ben = try Container(
            identifier: "com.example.notes", service: service,
            account: Account(userRecordName: "_ben"))
        try await ann.publicDatabase.save(Record(recordType: "Notes", recordID: "note"))
        #expect(try await ben.publicDatabase.record(for: "note").creatorUserRecordID == "_ann")
    }

    @Test("Record: an edit of a record from its system fields")
    func systemFields() async throws {
        let item = try #require(try await database.first(matching: query))
        let bytes = item.encodeSystemFields()
        var edited = try Record(systemFields: bytes)
        edited["number"] = 3
        edited = try await database.save(edited)
        #expect(edited["number"] as? Int == 3)
        #expect(edited.recordID == item.recordID)
    }

    @Test("RecordDifferences: the first element has all records as inserted")
    func differences() async throws {
        for try await change in database.observe(query).differences {
            #expect(change.inserted.count == 2 && change.updated.isEmpty && change.deleted.isEmpty)
            break
        }
    }

    @Test("Database: a transaction moves a part of a number that has a fraction")
    func transfer() async throws {
        let (a, b): (RecordID, RecordID) = ("a", "b")
        for (id, balance) in [(a, 99.5), (b, 0.25)] {
            var account = Record(recordType: "Accounts", recordID: id)
            account["balance"] = balance
            try await database.save(account)
        }
        try await database.transaction { t in
            var (from, to) = (try await t.record(for: a), try await t.record(for: b))
            let source: Double = from["balance"] ?? 0
            let target: Double = to["balance"] ?? 0
            (from["balance"], to["balance"]) = (source - 10, target + 10)
            try t.save([from, to])
        }
        #expect(try await database.record(for: a)["balance"] == 89.5)
        #expect(try await database.record(for: b)["balance"] == 10.25)
    }

    private struct Tasks: RecordFields {
        static let recordType = "Tasks"
        let isDone = Field<Bool>("isDone", default: false)
    }

    @Test("Table and LiveValue: the number of records without a mark is observed")
    func observedCount() async throws {
        let tasks = database.table(Tasks.self)
        try await tasks.save { $0.isDone = true }
        try await tasks.save { $0.isDone = false }
        for try await count in tasks.observeCount(where: { $0.isDone == false }) {
            #expect(count == 1)
            break
        }
        let open = await LiveValue(tasks.observeCount { $0.isDone == false })
        #expect(await open.value == nil)
        let items = await tasks.live(where: { $0.isDone == true })
        #expect(await items.items.isEmpty)
    }
}
