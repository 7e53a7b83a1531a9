import Cabinet
import Testing

@testable import CabinetSQLite

/// How many statements each operation takes, once it has been done before.
@Suite struct StatementCountTests {
    // The sums below name what they consist of, because that is what may grow unnoticed. A new number in them is a decision.

    /// What every read runs: BEGIN, the version of the schema, ROLLBACK.
    private static let read = 3
    /// The statements of every write: BEGIN IMMEDIATE, the version of the schema, the last sequence number together with the zone
    /// (read, and written), the subscriptions, COMMIT.
    private static let write = 6
    /// The statement that checks whether a record exists, such as the user's.
    private static let check = 1
    /// The statements that get a record by ID: its location, and its row.
    private static let fetch = 2
    /// How many record types there are: Items, Lists, Users.
    private static let types = 3

    /// How many statements an operation runs.
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
        // The user and the list; and each record is fetched, and its row is changed.
        case .updateOne: write + 2 * check + (fetch + 1)
        case .updateHundred: write + 2 * check + (fetch + 1) * 100
        // The list itself; the records that refer to it, two for each of four fields (Items.list and three parents), and their rows
        // at once; and three for each deletion of up to eight records: the rows, their locations, and the tombstones. The list is
        // deleted alone, and so are the four items that remain.
        case .cascade:
            write + fetch + 2 * (1 + types) + 1 + 3
                * (1 + CountedStore.itemsPerList / 8 + CountedStore.itemsPerList % 8)
        }
    }

    /// Saving new records that refer to one list: the user, the list, and whether there are tombstones to remove; for each record,
    /// whether it exists, its row, and its location.
    private static func save(_ count: Int) -> Int { write + 2 * check + 1 + 3 * count }

    /// The statements that read what has changed: the last sequence number, the zones, the removed zones, the deletions, and each record
    /// type.
    private static let look = read + 4 + types

    /// What an operation does when it is done for the third time, with other values than before.
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

    /// The test above would notice if statements were not kept.
    @Test(arguments: CountedOperation.allCases)
    func withoutACacheAllIsPreparedAgain(_ operation: CountedOperation) async throws {
        let done = try await steadyState(of: operation, in: try await CountedStore(isCaching: false))
        #expect(done.prepared.count >= 3, "\(done)")
    }

    /// A commit is looked at once for all who observe, however many they are, and none of them asks the file.
    @Test(.timeLimit(.minutes(3)), arguments: [1, 30])
    func observersShareALook(count: Int) async throws {
        let filter = try Filter("list == %@", Reference(recordID: CountedStore.listID(0), action: .none))
        let done = try await twoSaves(observedBy: count, filter)
        #expect(done.prepared.isEmpty, "\(done)")
        #expect(done.runs.count == 2 * (Self.expectedRuns(.saveOne) + Self.look), "\(done)")
    }

    /// The test above would notice if they asked, as those do whose filter leads to other records.
    @Test(.timeLimit(.minutes(3)))
    func observersOfAPathAsk() async throws {
        let done = try await twoSaves(observedBy: 30, try Filter("list.name == 'List 0'"))
        #expect(done.runs.count >= 2 * (Self.expectedRuns(.saveOne) + Self.look) + 30 * (Self.read + 1), "\(done)")
    }

    /// What two saves take, of which those who observe the items of list 0 are told.
    private func twoSaves(observedBy count: Int, _ filter: Filter) async throws -> StatementLog.Content {
        let store = try await CountedStore()
        let query = Query(recordType: "Items", filter: filter)
        var observers = (0..<count).map { _ in store.database.observe(query).makeAsyncIterator() }
        for index in observers.indices { #expect(try await observers[index].next()?.count == 100) }
        // Each has run its query; and there was one look at the beginning, and one because the file is new to who
        // watches it.
        try await store.log.wait(untilThereAre: count + 2, of: "ROLLBACK")
        _ = store.log.take()
        // What everybody does for the first time.
        try await store.database.save(CountedStore.item(500, of: 1))
        try await store.log.wait(untilThereAre: 1, of: "ROLLBACK")
        _ = store.log.take()

        try await store.database.save(CountedStore.item(501, of: 1))
        try await store.log.wait(untilThereAre: 1, of: "ROLLBACK")
        // The second record is one that they all find, which shows that they have seen the first.
        try await store.database.save(CountedStore.item(502, of: 0))
        for index in observers.indices { #expect(try await observers[index].next()?.count == 101) }
        return store.log.take()
    }

    // MARK: - What statements look at

    /// What reads look at depends on what they find, not on how much else there is.
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

    /// The tests above would notice if rows were gone through that are not on the page.
    @Test(arguments: [CountedOperation.firstPage, .secondPage, .earlyPage, .latePage])
    func withoutAnIndexMoreRowsAreLookedAt(_ operation: CountedOperation) async throws {
        let indexed = try await steadyState(of: operation, in: try await CountedStore())
        let other = try await steadyState(of: operation, in: try await CountedStore(isIndexed: false))
        #expect(other.steps * 2 > indexed.steps * 3, "\(other)")
    }
}
