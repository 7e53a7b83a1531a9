import Cabinet
import CabinetPostgres

/// Cabinet on PostgreSQL, through its public face.
struct CabinetCompetitor: Competitor {
    private let container: Container
    private let database: Database
    private var listIDs: [RecordID] = []
    private var lists: [Record] = []
    private var items: [Record] = []
    private var updated: [Record] = []
    private var token: ServerChangeToken?

    init(connection: String) async throws {
        // Not the user's name, under which the baseline would find these tables before its own.
        let configuration = PostgresConfiguration(schema: "benchmark")
        container = try Container(
            identifier: "com.example.benchmark",
            backend: PostgresBackend(connection: connection, configuration: configuration))
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

    private func record(of item: Samples.Item) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: item.id))
        record["name"] = item.name
        record["number"] = item.number
        record["list"] = Reference(recordID: listIDs[item.list], action: .deleteSelf)
        return record
    }

    mutating func insertLists() async throws { _ = try await save(lists) }

    mutating func insert(_ range: Range<Int>) async throws -> Answer {
        Answer(count: try await save(Array(items[range])).count)
    }

    mutating func insertSingly(_ items: [Samples.Item]) async throws -> Answer {
        for item in items { try await database.save(record(of: item)) }
        return Answer(count: items.count)
    }

    private func save(_ records: [Record]) async throws -> [Record] {
        let results = try await database.modifyRecords(saving: records, deleting: []).saveResults
        return try records.compactMap { try results[$0.recordID]?.get() }
    }

    mutating func fetch(_ items: [Samples.Item], each: Int) async throws -> Answer {
        let ids = items.map { RecordID(recordName: $0.id) }
        var found: [Record] = []
        for start in stride(from: 0, to: ids.count, by: each) {
            if each == 1 {
                found.append(try await database.record(for: ids[start]))
            } else {
                let part = Array(ids[start..<min(start + each, ids.count)])
                for case .success(let record) in try await database.records(for: part).values { found.append(record) }
            }
        }
        return Self.answer(found)
    }

    mutating func list(_ list: Int) async throws -> Answer {
        let query = Query(recordType: "Items", filter: .field("list") == listIDs[list], sortedBy: [Sort("name")])
        let results = try await database.records(matching: query, resultsLimit: 100).matchResults
        return Self.answer(results.compactMap { try? $0.1.get() })
    }

    mutating func prepareUpdate(_ items: [Samples.Item]) async throws {
        let ids = items.map { RecordID(recordName: $0.id) }
        let found = try await database.records(for: ids)
        updated = try ids.compactMap { try found[$0]?.get() }
    }

    mutating func update(_ range: Range<Int>, number: Int64) async throws -> Answer {
        for index in range { updated[index]["number"] = number + Int64(index) }
        let saved = try await save(Array(updated[range]))
        updated.replaceSubrange(range, with: saved)
        return Answer(count: saved.count)
    }

    mutating func mark() async throws {
        for try await page in database.recordZoneChangeSequence(
            inZoneWith: .default, since: token, desiredKeys: [], pageSize: 10_000)
        {
            token = page.changeToken
        }
    }

    mutating func changes() async throws -> Answer {
        let page = try await database.recordZoneChanges(inZoneWith: .default, since: token, resultsLimit: 1000)
        return Self.answer(try page.modificationResultsByID.values.map { try $0.get().record })
    }

    mutating func deleteList(_ list: Int) async throws -> Answer {
        try await database.deleteRecord(withID: listIDs[list])
        return Answer(count: 1)
    }

    mutating func close() async { await container.close() }

    private static func answer(_ records: [Record]) -> Answer {
        Answer(count: records.count) {
            records.reduce(0) { sum, record in
                let name: String? = record["name"]
                let number: Int64? = record["number"]
                let list: Reference? = record["list"]
                return sum + Int64((name ?? "").utf8.count) + (number ?? 0)
                    + Int64((list?.recordID.recordName ?? "").utf8.count)
            }
        }
    }
}
