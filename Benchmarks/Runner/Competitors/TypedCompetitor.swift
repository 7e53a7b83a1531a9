import Cabinet
import Foundation

/// Cabinet with typed fields, or the same program with untyped records.
///
/// Both create the items within the measured time, because typed fields cost where values are set and read.
final class TypedCompetitor: Competitor {
    private struct Lists: RecordFields {
        static let recordType = "Lists"
        let name = Field<String>("name", index: .queryable)
    }

    private struct Items: RecordFields {
        static let recordType = "Items"
        let name = Field<String>("name", index: [.queryable, .sortable])
        let number = Field<Int64>("number")
        let list = Link<Lists>("list", onDelete: .deleteSelf)
    }

    private let isTyped: Bool
    private let opening: CabinetCompetitor.Opening
    private var container: Container?
    private var samples: [Samples.Item] = []
    private var lists: [Samples.List] = []
    private var records: [Record] = []
    private var items: [Typed<Items>] = []

    init(isTyped: Bool, opening: @escaping CabinetCompetitor.Opening) {
        self.isTyped = isTyped
        self.opening = opening
    }

    func open(_ name: String, isDurable: Bool) async throws {
        try await close()
        let container = try Container(identifier: "com.example.benchmark", backend: opening(name, isDurable))
        self.container = container
        try await container.privateDatabase.apply(Schema(Items.self, Lists.self))
    }

    func close() async throws {
        await container?.close()
        container = nil
    }

    private var database: Database {
        get throws {
            guard let container else { throw BenchmarkFailure("No store is open.") }
            return container.privateDatabase
        }
    }

    func prepareInsertion(lists: [Samples.List], items: [Samples.Item]) async throws {
        self.lists = lists
        samples = items
    }

    func insert(batch: Int) async throws {
        let database = try database
        try await database.table(Lists.self).save(
            lists.map { list in
                var typed = Typed<Lists>(id: .init(recordName: list.id))
                typed.name = list.name
                return typed
            })
        for start in stride(from: 0, to: samples.count, by: batch) {
            let slice = samples[start..<min(start + batch, samples.count)]
            if isTyped { try await saveTyped(slice, in: database) } else { try await saveUntyped(slice, in: database) }
        }
    }

    private func saveTyped(_ slice: ArraySlice<Samples.Item>, in database: Database) async throws {
        let table = database.table(Items.self)
        try await table.save(
            slice.map { sample in
                var item = table.make(named: sample.id)
                item.name = sample.name
                item.number = sample.number
                item.list = .init(recordName: sample.list)
                return item
            })
    }

    private func saveUntyped(_ slice: ArraySlice<Samples.Item>, in database: Database) async throws {
        let records = slice.map { sample in
            var record = database.makeRecord("Items", named: sample.id)
            record["name"] = sample.name
            record["number"] = sample.number
            record["list"] = Reference(recordID: RecordID(recordName: sample.list), action: .deleteSelf)
            return record
        }
        let results = try await database.modifyRecords(saving: records, deleting: []).saveResults
        for record in records { _ = try results[record.recordID]?.get() }
    }

    func iterate(_ tally: Tally) async throws {
        let database = try database
        if isTyped {
            for item in try await database.table(Items.self).all() { add(item, tally) }
        } else {
            for record in try await database.allRecords(matching: Query(recordType: "Items")) { add(record, tally) }
        }
    }

    func hold(_ tally: Tally) async throws -> Int {
        let database = try database
        if isTyped {
            items = try await database.table(Items.self).all()
        } else {
            records = try await database.allRecords(matching: Query(recordType: "Items"))
        }
        return items.count + records.count
    }

    func readFields(times: Int, _ tally: Tally) async throws {
        var sum: Int64 = 0
        for _ in 0..<times {
            if isTyped {
                for item in items { sum &+= item.number }
            } else {
                for record in records { sum &+= record["number"] ?? 0 }
            }
        }
        tally.count((items.count + records.count) * times)
        if sum == .min { throw BenchmarkFailure("The sum is impossible.") }
        if tally.isDigesting {
            for item in items { add(item, tally) }
            for record in records { add(record, tally) }
        }
    }

    private func add(_ item: Typed<Items>, _ tally: Tally) {
        guard tally.isDigesting else { return tally.count(1) }
        tally.add(
            id: item.id.recordID.recordName, name: item.name, number: item.number,
            list: item.list?.recordID.recordName ?? "")
    }

    private func add(_ record: Record, _ tally: Tally) {
        guard tally.isDigesting else { return tally.count(1) }
        tally.add([record])
    }

    func prepareFetch(_ items: [Samples.Item]) async throws { throw BenchmarkFailure.absent }
    func fetch(each: Int, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func list(_ list: Samples.List, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func scan(number: Int64, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func prepareUpdate(_ items: [Samples.Item]) async throws { throw BenchmarkFailure.absent }
    func update(number: Int64, batch: Int) async throws { throw BenchmarkFailure.absent }
}
