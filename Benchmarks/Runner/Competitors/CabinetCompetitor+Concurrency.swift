import Cabinet
import Synchronization

extension CabinetCompetitor {
    func contend(lists: [Samples.List]?, seconds: Double) async throws -> Contention {
        let database = try database
        let (ids, records) = (fetched, updated)
        let queries = lists?.map(Self.query)
        return try await withThrowingTaskGroup(of: (reads: Int, writes: Int).self) { group in
            let start = ContinuousClock.now
            let state = ArenaState()
            for reader in 0..<4 {
                group.addTask {
                    (try await Self.readOn(database, ids, queries, seed: UInt64(reader), until: state), 0)
                }
            }
            group.addTask { (0, try await Self.writeOn(database, records, until: state)) }
            try await Task.sleep(for: .seconds(seconds))
            state.end()
            let elapsed = start.duration(to: .now).seconds
            var contention = Contention(reads: 0, writes: 0, seconds: elapsed)
            for try await done in group {
                contention.reads += done.reads
                contention.writes += done.writes
            }
            return contention
        }
    }

    private static func readOn(
        _ database: Database, _ ids: [RecordID], _ queries: [Query]?, seed: UInt64, until state: ArenaState
    ) async throws -> Int {
        var random = 0x5EED &+ seed
        var reads = 0
        while !state.isOver {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let choice = Int(random >> 33)
            if let queries {
                let query = queries[choice % queries.count]
                let results = try await database.records(matching: query, resultsLimit: 100).matchResults
                if results.isEmpty { throw BenchmarkFailure("A list was not found.") }
            } else {
                _ = try await database.record(for: ids[choice % ids.count])
            }
            reads += 1
        }
        return reads
    }

    private static func writeOn(
        _ database: Database, _ records: [Record], until state: ArenaState
    ) async throws -> Int {
        var records = records
        var (start, writes) = (0, 0)
        while !state.isOver {
            if start + 100 > records.count { start = 0 }
            let range = start..<start + 100
            for index in range { records[index]["number"] = writes + index }
            let results = try await database.modifyRecords(saving: Array(records[range]), deleting: []).saveResults
            for index in range {
                guard let saved = try results[records[index].recordID]?.get() else {
                    throw BenchmarkFailure("A record was not saved.")
                }
                records[index] = saved
            }
            start += 100
            writes += 100
        }
        return writes
    }

    func observe(_ lists: [Samples.List]) async throws {
        if lists.isEmpty { return }
        let database = try database
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        observers = lists.map { list in
            Task {
                do {
                    for try await _ in database.observe(Self.query(forList: list)) { arrival.yield() }
                } catch {
                    // The saves continue without it, and its row shows too good a figure. The end of the stream reveals
                    // it.
                    arrival.finish()
                }
            }
        }
        var begun = 0
        for await _ in arrivals {
            begun += 1
            if begun == lists.count { return }
        }
        throw BenchmarkFailure("A query cannot be observed.")
    }

    func prepareObservation(of list: Samples.List) async throws {
        var values = try database.observe(Self.query(forList: list)).makeAsyncIterator()
        _ = try await values.next()
        observation = values
    }

    func insertObserved(_ list: Samples.List) async throws -> [Double] {
        guard var values = observation else { throw BenchmarkFailure("No query is observed.") }
        let database = try database
        var waits: [Double] = []
        for item in items {
            try await database.save(item)
            let start = ContinuousClock.now
            while true {
                guard let records = try await values.next() else { throw BenchmarkFailure("The observation ended.") }
                if records.contains(where: { $0.recordID == item.recordID }) { break }
            }
            waits.append(start.duration(to: .now).seconds)
        }
        return waits
    }

    func prepareObservation(ofCountBelow number: Int64) async throws {
        let query = Query(recordType: "Items", filter: .field("number") < number)
        var values = try database.observeCount(matching: query).makeAsyncIterator()
        guard let count = try await values.next() else { throw BenchmarkFailure("The observation ended.") }
        observedCount = (values, count)
    }

    func insertCounted(below number: Int64) async throws -> [Double] {
        guard var (values, last) = observedCount else { throw BenchmarkFailure("No count is observed.") }
        let database = try database
        var waits: [Double] = []
        for item in items {
            try await database.save(item)
            guard let own: Int64 = item["number"], own < number else { continue }
            let start = ContinuousClock.now
            guard let count = try await values.next() else { throw BenchmarkFailure("The observation ended.") }
            if count != last + 1 { throw BenchmarkFailure("The count is \(count) instead of \(last + 1).") }
            last = count
            waits.append(start.duration(to: .now).seconds)
        }
        observedCount = (values, last)
        return waits
    }

    func stopObserving() async {
        observation = nil
        observedCount = nil
        for observer in observers { observer.cancel() }
        for observer in observers { await observer.value }
        observers = []
    }
}

/// Whether readers and the writer must stop.
private final class ArenaState: Sendable {
    private let over = Atomic(false)

    var isOver: Bool { over.load(ordering: .relaxed) }

    func end() { over.store(true, ordering: .relaxed) }
}
