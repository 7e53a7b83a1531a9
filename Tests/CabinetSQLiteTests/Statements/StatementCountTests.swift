import Cabinet
import Testing

@testable import CabinetSQLite

/// The number of statements of each operation, after its first run.
@Suite struct StatementCountTests {
    // The sums below name their parts, because these may grow unnoticed. A new number in them is a decision.

    /// The statements of every read: BEGIN, the version of the schema, ROLLBACK.
    private static let read = 3
    /// The statements of every write: BEGIN IMMEDIATE, the last sequence number together with the zone, COMMIT.
    ///
    /// A write begins with what the last one has left, unless another process has written.
    private static let write = 3
    /// The statement that checks whether a record exists, such as the user's.
    private static let check = 1
    /// The statements that get a record by ID: its location, and its row.
    private static let fetch = 2
    /// The number of record types: Items, Lists, Users.
    private static let types = 3

    /// The number of statements that an operation runs.
    private static func expectedRuns(_ operation: CountedOperation) -> Int {
        switch operation {
        case .fetchOne: read + fetch
        case .fetchHundred: read + fetch * 100
        case .firstPage: read + 1
        // The rest of those with the name of the last record, then those with later names.
        case .secondPage, .earlyPage, .latePage: read + 2
        case .count: read + 1
        // The last sequence number together with the zone, its deletions, and each record type.
        case .changes: read + 2 + types
        case .saveOne: save(1)
        case .saveHundred: save(100)
        case .saveFourHundred: save(400)
        // The user; and each record is fetched, and its row is changed. The list was checked when it was set.
        case .updateOne: write + check + (fetch + 1)
        case .updateHundred: write + check + (fetch + 1) * 100
        // Two records with the last sequence number; and an update of two, which is judged by the values that it loads in any case.
        case .transaction: read + 2 * fetch + 1 + write + check + (fetch + 1) * 2
        // The list itself; the number of records that refer to it, and whether others refer to them. Deleting all records of a
        // type takes three: the tombstones, the names, and the rows.
        case .cascade: write + fetch + 2 + 3 * 2
        }
    }

    /// Saving new records that refer to one list: the user and the list; for each record,
    /// whether it exists, its row, and its location.
    private static func save(_ count: Int) -> Int { write + 2 * check + 3 * count }

    /// The statements that read changes: the last sequence number, the zones, the removed zones, the deletions, and
    /// each record type.
    private static let look = read + 4 + types

    /// The statements of an operation's third run, with new values.
    private func steadyState(
        of operation: CountedOperation, in store: CountedStore
    ) async throws -> StatementLog.Content {
        for round in 0..<2 { try await operation.prepared(in: store, round: round)() }
        let third = try await operation.prepared(in: store, round: 2)
        return try await store.statements(of: third)
    }

    @Test(arguments: CountedOperation.allCases)
    func nothingIsPreparedTwice(_ operation: CountedOperation) async throws {
        let done = try await steadyState(of: operation, in: try await CountedStore())
        #expect(done.prepared.isEmpty, "\(done)")
        #expect(done.runs.count == Self.expectedRuns(operation), "\(done)")
    }

    /// The test above would fail without a cache of statements.
    @Test(arguments: CountedOperation.allCases)
    func withoutACacheAllIsPreparedAgain(_ operation: CountedOperation) async throws {
        let done = try await steadyState(of: operation, in: try await CountedStore(isCaching: false))
        #expect(done.prepared.count >= 3, "\(done)")
    }

    /// A commit is read once for all observers, in any number, and none of them reads the file.
    @Test(.timeLimit(.minutes(15)), arguments: [1, 30])
    func observersShareARead(count: Int) async throws {
        let filter = try Filter("list == %@", Reference(recordID: CountedStore.listID(0), action: .none))
        let done = try await twoSaves(observedBy: count, filter)
        #expect(done.prepared.isEmpty, "\(done)")
        let expected = 2 * (Self.expectedRuns(.saveOne) + Self.look)
        // The first poll signals in any case, and may be late: then a read finds the same sequence number.
        #expect([expected, expected + Self.read + 1].contains(done.runs.count), "\(done)")
    }

    /// The test above would fail if each read the file, like observers whose filter leads to other records.
    @Test(.timeLimit(.minutes(15)))
    func observersOfAPathRead() async throws {
        let done = try await twoSaves(observedBy: 30, try Filter("list.name == 'List 0'"))
        #expect(done.runs.count >= 2 * (Self.expectedRuns(.saveOne) + Self.look) + 30 * (Self.read + 1), "\(done)")
    }

    /// The statements of two saves that are reported to the observers of list 0's items.
    private func twoSaves(observedBy count: Int, _ filter: Filter) async throws -> StatementLog.Content {
        let store = try await CountedStore()
        let query = Query(recordType: "Items", filter: filter)
        var observers = (0..<count).map { _ in store.database.observe(query).makeAsyncIterator() }
        for index in observers.indices { #expect(try await observers[index].next()?.count == 100) }
        // Shows that a save has been read, without a read of its own.
        let others = try Filter("list == %@", Reference(recordID: CountedStore.listID(1), action: .none))
        var reader = store.database.observe(Query(recordType: "Items", filter: others)).makeAsyncIterator()
        #expect(try await reader.next()?.count == 100)
        // The first run of everything.
        try await store.database.save(CountedStore.item(500, of: 1))
        #expect(try await reader.next()?.count == 101)
        _ = store.log.take()

        try await store.database.save(CountedStore.item(501, of: 1))
        #expect(try await reader.next()?.count == 102)
        // The second record is one that all of them find, which shows that they have seen the first.
        try await store.database.save(CountedStore.item(502, of: 0))
        for index in observers.indices { #expect(try await observers[index].next()?.count == 101) }
        return store.log.take()
    }

    // MARK: - Rows that statements read

    /// The rows that a read scans depend on its results, not on the size of the store.
    @Test(arguments: [
        CountedOperation.fetchOne, .fetchHundred, .firstPage, .secondPage, .earlyPage, .latePage, .count, .changes,
    ])
    func readsCostTheSameInALargerStore(_ operation: CountedOperation) async throws {
        let small = try await steadyState(of: operation, in: try await CountedStore())
        let large = try await steadyState(of: operation, in: try await CountedStore(lists: 50))
        #expect(small.steps == large.steps, "\(small)")
        #expect(small.scanned == 0 && large.scanned == 0, "\(large)")
        #expect(small.sorts == 0 && large.sorts == 0, "\(large)")
    }

    @Test func aLatePageCostsWhatAnEarlyOneCosts() async throws {
        let store = try await CountedStore()
        let early = try await steadyState(of: .earlyPage, in: store)
        let late = try await steadyState(of: .latePage, in: store)
        #expect(early.steps == late.steps, "\(late)")
    }

    /// The tests above would fail if rows outside of the page were scanned.
    @Test(arguments: [CountedOperation.firstPage, .secondPage, .earlyPage, .latePage])
    func withoutAnIndexMoreRowsAreScanned(_ operation: CountedOperation) async throws {
        let indexed = try await steadyState(of: operation, in: try await CountedStore())
        let other = try await steadyState(of: operation, in: try await CountedStore(isIndexed: false))
        #expect(other.steps * 2 > indexed.steps * 3, "\(other)")
    }
}
