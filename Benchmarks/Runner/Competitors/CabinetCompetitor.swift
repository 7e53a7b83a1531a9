import BenchmarkBaseline
import Cabinet
import Foundation

/// Cabinet on a backend, through its public API.
final class CabinetCompetitor: Competitor {
    /// Creates the backend of a store.
    typealias Opening = @Sendable (_ name: String, _ isDurable: Bool) throws -> any StorageBackend

    /// Whether each request and response is coded and decoded.
    private let isCoded: Bool
    private let opening: Opening
    /// The folder of a store, if it consists of files.
    private let folder: (@Sendable (_ name: String) -> URL)?
    private var service: LocalDatabaseService?
    private var opened: Database?
    private var current: (name: String, isDurable: Bool) = ("", false)
    /// The stores that have their schema.
    private var known: Set<String> = []
    private var lists: [Record] = []
    private(set) var items: [Record] = []
    private var notes: [Record] = []
    private var token: ServerChangeToken?
    private var cursor: Query.Cursor?
    var fetched: [RecordID] = []
    var updated: [Record] = []
    var observers: [Task<Void, Never>] = []
    var observation: RecordObservation.Iterator?
    var observedCount: (values: AggregateObservation<Int>.Iterator, last: Int)?

    init(isCoded: Bool = false, opening: @escaping Opening, folder: (@Sendable (_ name: String) -> URL)? = nil) {
        self.isCoded = isCoded
        self.opening = opening
        self.folder = folder
    }

    /// The open store.
    var database: Database {
        get throws {
            guard let opened else { throw BenchmarkFailure("No store is open.") }
            return opened
        }
    }

    func open(_ name: String, isDurable: Bool) async throws {
        try await close()
        current = (name, isDurable)
        let service = try LocalDatabaseService(backend: opening(name, isDurable))
        let container = try Container(
            identifier: "com.example.benchmark", service: isCoded ? CodedService(base: service) : service)
        self.service = service
        opened = container.privateDatabase
        if known.insert(name).inserted { try await database.apply(Self.schema) }
    }

    /// The baseline's indexes: one on the reference, which always exists, one on the names, and one of words.
    private static var schema: Schema {
        var schema = Schema()
        schema["Lists"]["name"] = Schema.Field(.string, [.queryable])
        schema["Items"]["name"] = Schema.Field(.string, [.queryable, .sortable])
        schema["Items"]["number"] = Schema.Field(.int64)
        schema["Items"]["list"] = Schema.Field(.reference)
        schema["Notes"]["text"] = Schema.Field(.string, [.searchable])
        return schema
    }

    func close() async throws {
        await stopObserving()
        await service?.close()
        service = nil
        opened = nil
    }

    func settle() async throws {
        guard let folder else { return }
        for file in try FileManager.default.files(in: folder(current.name)) where file.isDatabase {
            if baseline_checkpoint(file.path) != 0 { throw BenchmarkFailure("\(file.path) cannot be checkpointed.") }
        }
    }

    func size() async throws -> Int {
        guard let folder else { return 0 }
        try await close()
        let size = try FileManager.default.files(in: folder(current.name)).reduce(0) {
            try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }
        try await open(current.name, isDurable: current.isDurable)
        return size
    }

    func prepareInsertion(lists: [Samples.List], items: [Samples.Item]) async throws {
        self.lists = lists.map { list in
            var record = Record(recordType: "Lists", recordID: RecordID(recordName: list.id))
            record["name"] = list.name
            return record
        }
        self.items = items.map { item in
            var record = Record(recordType: "Items", recordID: RecordID(recordName: item.id))
            record["name"] = item.name
            record["number"] = item.number
            record["list"] = Reference(recordID: RecordID(recordName: item.list), action: .deleteSelf)
            return record
        }
    }

    func insert(batch: Int) async throws {
        try await save(lists, batch: 400)
        if batch > 1 { return try await save(items, batch: batch) }
        let database = try database
        for record in items { try await database.save(record) }
    }

    func insertConcurrently(tasks: Int) async throws {
        let (database, items) = (try database, items)
        try await withThrowingTaskGroup { group in
            for task in 0..<tasks {
                group.addTask {
                    for index in stride(from: task, to: items.count, by: tasks) {
                        try await database.save(items[index])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    func prepareNotes(_ notes: [Samples.Note]) async throws {
        self.notes = notes.map { note in
            var record = Record(recordType: "Notes", recordID: RecordID(recordName: note.id))
            record["text"] = note.text
            return record
        }
    }

    func insertNotes(batch: Int) async throws { try await save(notes, batch: batch) }

    private func save(
        _ records: [Record], batch: Int, policy: RecordSavePolicy = .ifServerRecordUnchanged
    ) async throws {
        let database = try database
        for start in stride(from: 0, to: records.count, by: batch) {
            let slice = Array(records[start..<min(start + batch, records.count)])
            let results = try await database.modifyRecords(saving: slice, deleting: [], savePolicy: policy)
            for result in results.saveResults.values { _ = try result.get() }
        }
    }

    func prepareUpdate(_ items: [Samples.Item]) async throws {
        updated = []
        for start in stride(from: 0, to: items.count, by: 1_000) {
            let ids = items[start..<min(start + 1_000, items.count)].map { RecordID(recordName: $0.id) }
            let records = try await database.records(for: ids)
            for id in ids { if let record = try records[id]?.get() { updated.append(record) } }
        }
        guard updated.count == items.count else { throw BenchmarkFailure("Items are missing.") }
    }

    func update(number: Int64, batch: Int) async throws {
        for index in updated.indices { updated[index]["number"] = number + Int64(index) }
        try await save(updated, batch: batch)
    }

    func updateFields(number: Int64, batch: Int) async throws {
        let records = updated.enumerated().map { index, old in
            var record = Record(recordType: "Items", recordID: old.recordID)
            record["number"] = number + Int64(index)
            return record
        }
        try await save(records, batch: batch, policy: .changedKeys)
    }

    func changePairs(number: Int64, _ tally: Tally) async throws {
        let database = try database
        for index in stride(from: 0, to: updated.count - 1, by: 2) {
            let ids = [updated[index].recordID, updated[index + 1].recordID]
            try await database.transaction { t in
                let read = try await t.records(for: ids)
                var records = try ids.compactMap { try read[$0]?.get() }
                tally.add(records)
                for place in records.indices { records[place]["number"] = number + Int64(index + place) }
                try t.save(records)
            }
        }
    }

    func deleteList(_ list: Samples.List) async throws {
        try await database.deleteRecord(withID: RecordID(recordName: list.id))
    }

    func mark() async throws {
        for try await page in try database.recordZoneChangeSequence(
            inZoneWith: .default, since: token, desiredKeys: [], pageSize: 10_000)
        {
            token = page.changeToken
        }
    }

    func changes(_ tally: Tally) async throws {
        for try await page in try database.recordZoneChangeSequence(inZoneWith: .default, since: token) {
            tally.add(page.modifications.map(\.record))
            tally.count(page.deletions.count)
        }
    }

    func preparePage(after offset: Int) async throws {
        guard cursor == nil else { return }
        var known = 0
        while known < offset {
            let limit = min(offset - known, 10_000)
            let page =
                if let cursor {
                    try await database.records(continuingMatchFrom: cursor, desiredKeys: [], resultsLimit: limit)
                } else {
                    try await database.records(matching: Self.byName, desiredKeys: [], resultsLimit: limit)
                }
            known += page.matchResults.count
            cursor = page.queryCursor
            if cursor == nil { throw BenchmarkFailure("The store has only \(known) items.") }
        }
    }

    func page(isFirst: Bool, _ tally: Tally) async throws {
        if isFirst {
            tally.add(try await database.records(matching: Self.byName, resultsLimit: 100).matchResults)
        } else if let cursor {
            tally.add(try await database.records(continuingMatchFrom: cursor, resultsLimit: 100).matchResults)
        }
    }

    static let byName = Query(recordType: "Items", sortedBy: [Sort("name")])
}
