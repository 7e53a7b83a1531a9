import Cabinet
import CabinetSQLite
import Foundation

/// Cabinet on SQLite, through its public face.
struct CabinetCompetitor: Competitor {
    private let container: Container
    private let database: Database
    private var listIDs: [RecordID] = []
    private var lists: [Record] = []
    private var items: [Record] = []
    private var updated: [Record] = []
    private var token: ServerChangeToken?
    /// How many items were inserted beyond the samples.
    private var extra = 0

    init(path: String, isDurable: Bool) async throws {
        let configuration = SQLiteConfiguration(durability: isDurable ? .full : .normal)
        container = try Container(
            identifier: "com.example.benchmark",
            backend: SQLiteBackend(directory: URL(fileURLWithPath: path), configuration: configuration))
        database = container.privateDatabase
        // The baseline's indexes: one on the reference, which is always there, and one on the name.
        var schema = Schema()
        schema["Lists"]["name"] = Schema.Field(.string)
        schema["Items"]["name"] = Schema.Field(.string, [.queryable, .sortable])
        schema["Items"]["number"] = Schema.Field(.int64)
        schema["Items"]["list"] = Schema.Field(.reference)
        try await database.apply(schema)
    }

    mutating func prepareInsertion(_ samples: Samples) {
        listIDs = samples.lists.map { RecordID(recordName: $0.id) }
        lists = samples.lists.map { list in
            var record = Record(recordType: "Lists", recordID: RecordID(recordName: list.id))
            record["name"] = list.name
            return record
        }
        items = samples.items.map(record)
    }

    mutating func insert(batch: Int) async throws -> Int {
        try await save(lists)
        try await save(items, batch: batch)
        return items.count
    }

    mutating func insertSingly(_ count: Int) async throws -> Int {
        let records = Samples.more(count, after: &extra, lists: listIDs.count).map(record)
        for record in records { try await database.save(record) }
        return records.count
    }

    mutating func insertConcurrently(_ count: Int, tasks: Int) async throws -> Int {
        let records = Samples.more(count, after: &extra, lists: listIDs.count).map(record)
        try await withThrowingTaskGroup { [database] group in
            for task in 0..<tasks {
                group.addTask {
                    for index in stride(from: task, to: records.count, by: tasks) {
                        try await database.save(records[index])
                    }
                }
            }
            try await group.waitForAll()
        }
        return records.count
    }

    private func record(of item: Samples.Item) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: item.id))
        record["name"] = item.name
        record["number"] = item.number
        record["list"] = Reference(recordID: listIDs[item.list], action: .deleteSelf)
        return record
    }

    private func save(_ records: [Record], batch: Int) async throws {
        var start = 0
        while start < records.count {
            let end = min(start + batch, records.count)
            try await save(Array(records[start..<end]))
            start = end
        }
    }

    private func save(_ records: [Record]) async throws {
        for result in try await database.modifyRecords(saving: records, deleting: []).saveResults.values {
            _ = try result.get()
        }
    }

    mutating func fetch(_ items: [Samples.Item], each: Int) async throws -> Int {
        var count = 0
        var start = 0
        while start < items.count {
            let end = min(start + each, items.count)
            let ids = items[start..<end].map { RecordID(recordName: $0.id) }
            for case .success in try await database.records(for: ids).values { count += 1 }
            start = end
        }
        return count
    }

    mutating func list(_ list: Int) async throws -> Int {
        let query = Query(recordType: "Items", filter: .field("list") == listIDs[list], sortedBy: [Sort("name")])
        return try await database.records(matching: query, resultsLimit: 100).matchResults.count
    }

    mutating func prefix(_ prefix: String, number: Int64) async throws -> Int {
        let query = Query(
            recordType: "Items", filter: .field("name").beginsWith(prefix) && .field("number") > number,
            sortedBy: [Sort("name")])
        return try await database.records(matching: query, resultsLimit: 100).matchResults.count
    }

    mutating func scan(number: Int64) async throws -> Int {
        try await database.allRecords(matching: Query(recordType: "Items", filter: .field("number") == number)).count
    }

    mutating func iterate() async throws -> Int {
        var count = 0
        for try await _ in database.recordSequence(matching: Query(recordType: "Items"), pageSize: 1000) { count += 1 }
        return count
    }

    mutating func prepareUpdate(_ items: [Samples.Item]) async throws {
        let ids = items.map { RecordID(recordName: $0.id) }
        let found = try await database.records(for: ids)
        // In the order in which the others change them.
        updated = try ids.compactMap { try found[$0]?.get() }
    }

    mutating func update(number: Int64, batch: Int) async throws -> Int {
        for index in updated.indices { updated[index]["number"] = number + Int64(index) }
        try await save(updated, batch: batch)
        return updated.count
    }

    mutating func mark() async throws {
        for try await page in database.recordZoneChangeSequence(
            inZoneWith: .default, since: token, desiredKeys: [], pageSize: 10_000)
        {
            token = page.changeToken
        }
    }

    mutating func changes() async throws -> Int {
        var count = 0
        for try await page in database.recordZoneChangeSequence(inZoneWith: .default, since: token) {
            count += page.modifications.count + page.deletions.count
        }
        return count
    }

    mutating func deleteList(_ list: Int) async throws {
        try await database.deleteRecord(withID: listIDs[list])
    }

    mutating func close() async { await container.close() }
}
