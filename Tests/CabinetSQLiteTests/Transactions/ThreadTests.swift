import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Short reads run on the caller's thread, and everything that may take long on the connections' threads.
@Suite struct ThreadTests {
    private let id = RecordID(recordName: "r")

    /// A store whose only reader is open.
    private func warmStore(
        _ records: [StoredRecord], callerTimeLimit: Duration = .seconds(600)
    ) async throws -> (store: Store, executor: BlockingExecutor) {
        var configuration = SQLiteConfiguration(maximumReaders: 1)
        configuration.callerTimeLimit = callerTimeLimit
        let store = Store(configuration)
        try await store.insert(records)
        _ = try await store.record(id)
        return (store, try #require(store.backend.files.openFile(.public)?.readers.idleResources.first?.executor))
    }

    @Test func aShortReadDoesNotHop() async throws {
        let (store, executor) = try await warmStore([StoredRecord("r", [("a", .int64(1))])])
        // The first read opens the connection.
        #expect(executor.jobCount == 1)
        try await store.backend.read(.public) { snapshot in
            for _ in 0..<5 {
                _ = try await snapshot.records(for: [id], keys: nil)
                #expect(!executor.isCurrent && !isMainThread)
            }
        }
        #expect(executor.jobCount == 1)
    }

    /// The limit of a call decides where it runs, and not the records that it finds.
    @Test(arguments: [(201, 0), (202, 1)])
    func aLargePageHops(limit: Int, hops: Int) async throws {
        let (store, executor) = try await warmStore([StoredRecord("r")])
        let before = executor.jobCount
        let plan = try QueryPlan(
            recordType: "Items", filter: .constant(true), order: [], limit: limit, fields: [:])
        _ = try await store.backend.read(.public) { try await $0.records(matching: plan) }
        #expect(executor.jobCount - before == hops)
    }

    /// The default limit of a page of changes is 400.
    @Test func aPageOfFewChangesDoesNotHop() async throws {
        let (store, executor) = try await warmStore([StoredRecord("r")])
        let database = try Container(identifier: "com.example", backend: store.backend).publicDatabase
        var token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        for (count, hops) in [(1, 0), (0, 0), (150, 0), (250, 1), (1, 0)] {
            _ = try await database.modifyRecords(
                saving: (0..<count).map { _ in Record(recordType: "Lists") }, deleting: [])
            let before = executor.jobCount
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: token)
            token = changes.changeToken
            #expect(changes.modificationResultsByID.count == count)
            #expect(executor.jobCount - before == hops, "\(count) changes")
        }
    }

    @Test func aReadLeavesTheExecutorOfItsCallerAlone() async throws {
        let (store, executor) = try await warmStore([StoredRecord("r")])
        let eventLoop = BlockingExecutor(label: "event loop")
        let before = executor.jobCount
        try await withTaskExecutorPreference(eventLoop) {
            try await store.backend.read(.public) { snapshot in
                _ = try await snapshot.records(for: [id], keys: nil)
                #expect(executor.isCurrent && !eventLoop.isCurrent)
            }
            #expect(eventLoop.isCurrent)
        }
        #expect(executor.jobCount - before == 1)
    }

    @Test func aShortReadStaysOnAnExecutorThatItMayBlock() async throws {
        let (store, executor) = try await warmStore([StoredRecord("r")], callerTimeLimit: .seconds(60))
        let server = BlockingExecutor(label: "server")
        let before = executor.jobCount
        try await ShortCalls.$mayBlockExecutor.withValue(true) {
            try await withTaskExecutorPreference(server) {
                try await store.backend.read(.public) { snapshot in
                    _ = try await snapshot.records(for: [id], keys: nil)
                    #expect(server.isCurrent)
                }
            }
        }
        #expect(executor.jobCount == before)
    }

    @Test func aCallThatTakesLongIsHandedOver() async throws {
        let records = (0..<20_000).map { StoredRecord("r\($0)", [("a", .int64($0)), ("b", .string("text \($0)"))]) }
        let (store, executor) = try await warmStore(records, callerTimeLimit: .milliseconds(1))
        let filter = try Filter("b CONTAINS[c] 'TEXT 1999' AND a > 100")
        let plan = try QueryPlan(
            recordType: "Items", filter: filter, order: [Sort("b", ascending: false)], limit: 100,
            fields: ["a": .int64, "b": .string])
        let before = executor.jobCount
        let found = try await store.backend.read(.public) { snapshot in
            let found = try await snapshot.records(matching: plan)
            return found.map(\.recordID.recordName)
        }
        #expect((1...2).contains(executor.jobCount - before))
        #expect(found.count == 11 && found.first == "r19999")
        let known = executor.jobCount
        let count = try await store.backend.read(.public) { snapshot in
            try await snapshot.abilities.aggregates?.count(matching: plan)
        }
        #expect(count == 11)
        #expect((1...2).contains(executor.jobCount - known), "An aggregate is long from the beginning.")
    }

    /// SQLite asks after every thousandth step whether to go on.
    ///
    /// At some time, this is within the rollback of a beginning whose time is over.
    @Test func aReadThatDoesNotBeginInTimeBeginsOnTheExecutor() async throws {
        let store = Store()
        try await store.insert((0..<10).map { StoredRecord("r\($0)", type: "T\($0)", [("a", .int64(1))]) })
        var configuration = SQLiteConfiguration(maximumReaders: 1)
        configuration.callerTimeLimit = .nanoseconds(1)
        let reader = SQLiteBackend(directory: store.directory, configuration: configuration)
        for _ in 0..<1_000 {
            let found = try await reader.read(.public) {
                try await $0.records(for: [RecordID(recordName: "r0")], keys: nil)
            }
            #expect(found[0] != nil)
            // The reader loads the changed schema again.
            try store.sql("CREATE VIEW other AS SELECT 1")
            try store.sql("DROP VIEW other")
        }
        await reader.close()
    }

    @Test func aConnectionNeitherWaitsNorWorksLongOnTheCallersThread() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r")])
        let connection = try Connection(path: store.path, creates: false, configuration: SQLiteConfiguration())
        connection.handle.countSteps()
        let busy: Int? = try connection.runBriefly(until: .max) {
            #expect(!connection.waitsForLocks)
            throw CabinetError(.zoneBusy, "locked")
        }
        #expect(busy == nil && connection.waitsForLocks)
        let sql =
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000) SELECT max(x) FROM n"
        #expect(try connection.runBriefly(until: .max) { try connection.number(sql) } == 100_000)
        #expect(try connection.runBriefly(until: 1) { try connection.number(sql) } == nil as Int64??)
        let caught = try connection.runBriefly(until: 1) { (try? connection.number(sql)) ?? 7 }
        #expect(caught == nil, "A body that catches the error has no result.")
        let many: Int? = try connection.runBriefly(until: 1) {
            for _ in 0..<100 { try connection.run("SELECT 1") }
            return 1
        }
        #expect(many == nil, "Many short statements take long too.")
        #expect(try connection.number(sql) == 100_000)
    }

    @Test func aWriteHopsOnce() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r", [("a", .int64(1))])])
        let executor = try #require(store.backend.files.openFile(.public)?.writer.executor)
        let before = executor.jobCount
        try await store.backend.write(.public) { transaction in
            #expect(executor.isCurrent)
            _ = try await transaction.insertWithSchema((0..<10).map { StoredRecord("s\($0)", [("a", .int64(1))]) })
            #expect(executor.isCurrent)
        }
        #expect(executor.jobCount - before == 1)
    }

    @Test @MainActor func theMainThreadIsNotUsed() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r")])
        try await store.backend.read(.public) { _ in #expect(!isMainThread) }
        try await store.backend.write(.public) { _ in #expect(!isMainThread) }
    }

    @Test func aSnapshotIsNotValidAfterwards() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r")])
        let snapshot = try await store.backend.read(.public) { $0 }
        let transaction = try await store.backend.write(.public) { $0 }
        for leftover in [snapshot, transaction as any StorageSnapshot] {
            await #expect { try await leftover.records(for: [RecordID(recordName: "r")], keys: nil) } throws: {
                CabinetError.Code.internalError ~= $0
            }
        }
        await #expect(throws: CabinetError.self) {
            try await transaction.remove([RecordID(recordName: "r")], firstSequenceNumber: 1_000, date: Date())
        }
        #expect(try await store.record(RecordID(recordName: "r")) != nil)
    }

    /// A task that the body starts without waiting for it may use the snapshot at the same time as the body.
    @Test func othersMayUseASnapshotAtTheSameTime() async throws {
        let store = Store()
        try await store.insert((0..<50).map { StoredRecord("r\($0)", [("a", .int64($0))]) })
        let sums = try await store.backend.read(.public) { snapshot in
            let tasks = (0..<8).map { _ in
                Task {
                    var sum: Int64 = 0
                    for number in 0..<50 {
                        let record = try await snapshot.records(for: [RecordID(recordName: "r\(number)")], keys: nil)[0]
                        if case .int64(let value)? = record?.fields["a"] { sum += value }
                    }
                    return sum
                }
            }
            var sums: [Int64] = []
            for task in tasks { sums.append(try await task.value) }
            return sums
        }
        #expect(sums == Array(repeating: 1225, count: 8))
    }
}

private var isMainThread: Bool { Thread.isMainThread }
