import AllocationCounter
import Cabinet
import Foundation

#if DEBUG
@testable import CabinetSQLite
#else
import CabinetSQLite
#endif

/// Runs each operation several times, and counts.
struct Probe {
    /// Whether statements are cached, and neighboring rows refer to the same record.
    let isCaching: Bool

    /// The number of records that a query finds.
    private static let queried = 1_000
    /// The number of records that are saved in a batch.
    private static let batch = 400
    /// The number of times that a single call is counted: on a busy machine, other threads allocate during most calls.
    private static let callRounds = 100

    struct Failure: Error {
        let message: String
    }

    /// Counts all.
    ///
    /// - Returns: The allocations of each operation.
    func run() async throws -> [String: Double] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let backend = SQLiteBackend(directory: folder, configuration: try configuration())
        let database = try Container(identifier: "org.cabinet.allocations", backend: backend).publicDatabase
        let items = try await save(lists: Self.queried, to: database)
        let ids = items.map(\.recordID)
        let query = Query(recordType: "Items")
        var counts: [String: Double] = [:]
        counts["query, a record"] = try await least(per: Self.queried) {
            let page = try await database.records(matching: query, resultsLimit: Self.queried)
            try check(page.matchResults.count == Self.queried)
        }
        counts["fetch of 100, a record"] = try await least(per: 100) {
            try check(try await database.records(for: Array(ids[..<100])).count == 100)
        }
        counts["fetch of one, a call"] = try await least(rounds: Self.callRounds) {
            _ = try await database.record(for: ids[7])
        }
        counts["save of 400, a record"] = try await least(per: Self.batch) { round in
            (0..<Self.batch).map { item(Self.queried * (round + 1) + $0) }
        } operation: {
            try check(try await database.modifyRecords(saving: $0, deleting: []).saveResults.count == Self.batch)
        }
        counts["save of one, a call"] = try await least(rounds: Self.callRounds) {
            item(100_000 + $0)
        } operation: {
            _ = try await database.save($0)
        }
        counts["update of 400, a record"] = try await least(per: Self.batch) { round in
            try await database.records(for: Array(ids[..<Self.batch])).values.map { result in
                var record = try result.get()
                record["number"] = round
                return record
            }
        } operation: {
            try check(try await database.modifyRecords(saving: $0, deleting: []).saveResults.count == Self.batch)
        }
        counts["cascade over 400, a record"] = try await least(per: Self.batch) { round in
            let list = try await database.save(Record(recordType: "Lists"))
            let owned = (0..<Self.batch).map { number in
                var item = item(1_000_000 * round + number)
                item["list"] = Reference(record: list, action: .deleteSelf)
                return item
            }
            _ = try await database.modifyRecords(saving: owned, deleting: [])
            return list.recordID
        } operation: {
            _ = try await database.deleteRecord(withID: $0)
        }
        for (title, bytes) in try await bytesOfLiveAggregates(on: database) { counts[title] = bytes }
        await backend.close()
        try await countMemory(&counts)
        return counts
    }

    /// Counts the allocations of a ``MemoryBackend``: of a query that finds one record of a hundred, and of updates.
    private func countMemory(_ counts: inout [String: Double]) async throws {
        let database = try Container(identifier: "org.cabinet.allocations", backend: MemoryBackend()).publicDatabase
        let ids = try await save(lists: Self.queried, to: database).map(\.recordID)
        let query = Query(recordType: "Items", filter: try Filter("number < %d", Self.queried / 100))
        counts["query in memory, a scanned record"] = try await least(per: Self.queried) {
            let page = try await database.records(matching: query, resultsLimit: Self.queried)
            try check(page.matchResults.count == Self.queried / 100)
        }
        counts["update of 400 in memory, a record"] = try await least(per: Self.batch) { round in
            try await database.records(for: Array(ids[..<Self.batch])).values.map { result in
                var record = try result.get()
                record["number"] = round
                return record
            }
        } operation: {
            try check(try await database.modifyRecords(saving: $0, deleting: []).saveResults.count == Self.batch)
        }
    }

    /// The bytes that live counts and sums by group hold for each record.
    private func bytesOfLiveAggregates(on database: Database) async throws -> [String: Double] {
        // As in a table of 10,000, five eighths of the slots of the observer's dictionary are in use.
        let count = 5_000
        for start in stride(from: 0, to: count, by: Self.batch) {
            let notes = (start..<min(start + Self.batch, count)).map { number in
                var note = Record(recordType: "Notes")
                (note["words"], note["state"]) = (number, "state \(number % 7)")
                return note
            }
            _ = try await database.modifyRecords(saving: notes, deleting: [])
        }
        let query = Query(recordType: "Notes")
        return [
            "live count, bytes a record": try await bytes(
                per: count, of: database.observeCount(matching: query), on: database),
            "live sums by group, bytes a record": try await bytes(
                per: count, of: database.observeSums(of: "words", by: "state", matching: query, as: Int.self),
                on: database),
        ]
    }

    /// The bytes that an observer holds once it follows changes, which begins with the first of them.
    private func bytes<Value>(
        per count: Int, of observation: AggregateObservation<Value>, on database: Database
    ) async throws -> Double {
        var least = UInt64.max
        // The first round fills caches too, and on a busy machine other threads hold memory during most rounds.
        for _ in 0..<10 {
            let before = allocation_bytes()
            var observer = observation.makeAsyncIterator()
            _ = try await observer.next()
            var note = Record(recordType: "Notes")
            (note["words"], note["state"]) = (1, "state 1")
            note = try await database.save(note)
            _ = try await observer.next()
            least = min(least, allocation_bytes() &- before)
            withExtendedLifetime(observer) {}
            _ = try await database.deleteRecord(withID: note.recordID)
        }
        return (Double(least) / Double(count)).rounded()
    }

    private func configuration() throws -> SQLiteConfiguration {
        var configuration = SQLiteConfiguration(durability: .normal, maximumReaders: 1)
        #if DEBUG
        // A read that takes longer begins again on a thread of its own, and so would allocate twice on a busy machine.
        configuration.callerTimeLimit = .seconds(10)
        if !isCaching { configuration.statementCacheLimit = 0 }
        #else
        if !isCaching { throw Failure(message: "Statements can be forgotten in debug builds only.") }
        #endif
        return configuration
    }

    /// Saves lists and an item for each.
    ///
    /// - Returns: The items.
    private func save(lists count: Int, to database: Database) async throws -> [Record] {
        let lists = (0..<count).map { Record(recordType: "Lists", recordID: listID($0)) }
        _ = try await database.modifyRecords(saving: lists, deleting: [])
        let items = (0..<count).map(item)
        _ = try await database.modifyRecords(saving: items, deleting: [])
        return items
    }

    /// A record of four fields.
    private func item(_ number: Int) -> Record {
        var item = Record(recordType: "Items", recordID: RecordID(recordName: "an item with the number \(number)"))
        item["name"] = "A name that takes memory, \(number)"
        item["number"] = number
        item["price"] = Double(number) / 4
        item["list"] = Reference(recordID: listID(isCaching ? 0 : number % Self.queried), action: .deleteSelf)
        return item
    }

    private func listID(_ number: Int) -> RecordID { RecordID(recordName: "a list with the number \(number)") }

    private func check(_ isRight: Bool) throws {
        if !isRight { throw Failure(message: "An operation has not done what was to be counted.") }
    }
}

// MARK: - Counting

extension Probe {
    /// The minimum number of allocations of an operation after its first run.
    ///
    /// The minimum of several runs, because other threads allocate too.
    private func least(
        per count: Int = 1, rounds: Int = 10, _ operation: () async throws -> Void
    ) async throws -> Double {
        try await least(per: count, rounds: rounds) { _ in
        } operation: {
            try await operation()
        }
    }

    /// The minimum number of allocations of an operation on a value after its first run.
    private func least<Value>(
        per count: Int = 1, rounds: Int = 10, _ makeValue: (_ round: Int) async throws -> Value,
        operation: (Value) async throws -> Void
    ) async throws -> Double {
        var least = UInt64.max
        for round in 1...rounds {
            let value = try await makeValue(round)
            let before = allocation_count()
            try await operation(value)
            if round > 2 { least = min(least, allocation_count() - before) }
        }
        return (Double(least) / Double(count) * 100).rounded() / 100
    }
}
