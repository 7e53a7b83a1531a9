import Cabinet
import CabinetSQLite
import Foundation
import Testing

@Suite("The articles for users of CloudKit: their programs run")
struct PortingFromCloudKit {
    private let container: Container
    private let database: Database

    init() throws {
        container = try Container(identifier: "com.example.porting", backend: MemoryBackend())
        database = container.privateDatabase
    }

    private func savedItem() async throws -> Record {
        var item = Record(recordType: "Items")
        item["name"] = "Milk"
        return try await database.save(item)
    }

    @Test func saving() async throws {
        var item = try await savedItem()
        // snippet: save
        item["number"] = 2
        item = try await database.save(item)  // keep what save returns
        item["number"] = 3
        item = try await database.save(item)  // no conflict
        // end
        #expect(item["number"] as? Int == 3)
        let isConflict = try await withConflict(item)
        #expect(isConflict)
    }

    private func withConflict(_ saved: Record) async throws -> Bool {
        var item = saved
        var isConflict = false
        // snippet: forgotten
        do {
            item["number"] = 4
            try await database.save(item)  // the result is dropped
            item["number"] = 5
            try await database.save(item)  // item has the older change tag
        } catch CabinetError.Code.serverRecordChanged {
            print("The conflict is with this program's own save.")
            isConflict = true
        }
        // end
        return isConflict
    }

    // snippet: inout
    func fill(_ item: inout Record, from form: [String: String]) {
        item["name"] = form["name"]
        item["unit"] = form["unit"]
    }
    // end

    @Test func copies() async throws {
        var records = [try await savedItem(), try await savedItem()]
        // snippet: loop
        for index in records.indices {
            records[index]["isDone"] = true
        }
        // end
        var item = records[0]
        fill(&item, from: ["name": "Bread"])
        #expect(item["name"] as? String == "Bread" && item["unit"] == nil && item["isDone"] as? Bool == true)

        // snippet: byID
        var itemsByID: [RecordID: Record] = [:]
        for record in records { itemsByID[record.recordID] = record }
        // end
        #expect(itemsByID.count == 2)
    }

    @Test func numbers() async throws {
        var record = try await savedItem()
        // snippet: casts
        record["number"] = 300
        let small = record["number"] as? UInt8  // nil: 300 does not fit
        let isDone = record["number"] as? Bool  // nil: neither 0 nor 1
        let number = record["number"] as? Double  // 300.0
        // end
        #expect(small == nil && isDone == nil && number == 300)
    }

    @Test func objectSyntax() async throws {
        // snippet: operation
        let items = [
            Record(recordType: "Items"), Record(recordType: "Items"),
        ]
        let saved = try await database.save(items, savePolicy: .changedKeys)
        // end
        #expect(saved.count == 2)

        // snippet: query
        // CKQuery(recordType: "Items",
        //         predicate: NSPredicate(format: "number > %d", 3))
        let query = Query(
            recordType: "Items", filter: try Filter("number > %d", 3),
            sortedBy: [.descending("creationDate")])
        var (matchResults, cursor) = try await database.records(
            matching: query, desiredKeys: ["name"], resultsLimit: 50)
        while let next = cursor {
            let page = try await database.records(continuingMatchFrom: next)
            matchResults += page.matchResults
            cursor = page.queryCursor
        }
        // end
        #expect(matchResults.isEmpty)

        // snippet: refused
        let worksHere = Query(
            recordType: "Items",
            filter: try Filter("name LIKE 'M*' OR number > 3"))
        for part in worksHere.validateForCloudKit() { print(part) }
        // end
        #expect(!worksHere.validateForCloudKit().isEmpty)
    }

    @Test func formats() async throws {
        let list = try await database.save(Record(recordType: "Lists"))
        let prefix = "M"
        // snippet: format
        // NSPredicate(
        //     format: "list == %@ AND name BEGINSWITH %@", list, prefix)
        let filter = try Filter(
            "list == %@ AND name BEGINSWITH %@", list, prefix)
        // end
        #expect(filter.fieldKeys == ["list", "name"])
    }

    @Test func systemFields() async throws {
        let record = try await savedItem()
        // snippet: system
        let data = record.encodeSystemFields()
        var restored = try Record(systemFields: data)
        restored["name"] = "Oat milk"
        try await database.save(restored)
        // end
        #expect(try await database.record(for: record.recordID)["name"] as? String == "Oat milk")
    }

    @Test func environment() async throws {
        var schema = Schema()
        schema["Items"]["name"] = Schema.Field(.string)
        // snippet: production
        let container = try Container(
            identifier: "com.example.shopping", backend: MemoryBackend(),
            schema: .strict(schema), limits: .cloudKit)
        // end
        var item = Record(recordType: "Items")
        item["title"] = "Milk"
        await #expect(throws: CabinetError.self) { try await container.privateDatabase.save(item) }
    }

    @Test(.timeLimit(.minutes(15))) func notifications() async throws {
        // snippet: subscribe
        let subscription = QuerySubscription(
            recordType: "Items", filter: .field("number") > 3,
            options: [.firesOnRecordCreation, .firesOnRecordUpdate])
        try await database.save(subscription)
        // end
        let (container, database) = (container, database)
        let task = Task {
            // snippet: notifications
            var token: NotificationToken?  // kept between launches
            for try await notification in container.notifications(
                since: token, includingOwnChanges: true)
            {
                token = notification.token
                if case .query(let event) = notification.event {
                    let record = try await database.record(for: event.recordID)
                    print("Changed:", record)
                    break
                }
            }
            // end
            return token
        }
        var item = Record(recordType: "Items")
        item["number"] = 4
        try await database.save(item)
        #expect(try await task.value != nil)
    }
}
