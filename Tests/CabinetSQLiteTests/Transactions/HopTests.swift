import Cabinet
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The tasks and executors that run a request.
@Suite struct HopTests {
    /// A value that only the caller's task has.
    @TaskLocal private static var caller: String?

    private func item(_ name: String) -> Record {
        var item = Record(recordType: "Items", recordID: RecordID(recordName: name))
        item["a"] = 1
        return item
    }

    @Test func aSaveHopsToTheWriterAndBack() async throws {
        let store = Store()
        let database = try Container(identifier: "org.cabinet.hops", backend: store.backend).publicDatabase
        try await database.save(item("first"))
        let writer = try #require(store.backend.files.openFile(.public)?.writer.executor)
        let caller = BlockingExecutor(label: "caller")
        let before = writer.jobCount
        try await withTaskExecutorPreference(caller) {
            let start = caller.jobCount
            try await database.save(item("second"))
            #expect(caller.jobCount - start == 1)
        }
        #expect(writer.jobCount - before == 1)
    }

    /// A page of the default size is short, although the service reads one record more than it returns.
    @Test(arguments: [(10, 10), (Query.maximumResults, Query.defaultPageSize)])
    func aShortQueryDoesNotHop(resultsLimit: Int, count: Int) async throws {
        var configuration = SQLiteConfiguration(maximumReaders: 1)
        configuration.callerTimeLimit = .seconds(600)
        let store = Store(configuration)
        let database = try Container(identifier: "org.cabinet.hops", backend: store.backend).publicDatabase
        let items = (1...Query.defaultPageSize + 1).map { item("item \($0)") }
        for result in try await database.modifyRecords(saving: items, deleting: []).saveResults.values {
            _ = try result.get()
        }
        let query = Query(recordType: "Items")
        _ = try await database.records(matching: query, resultsLimit: 10)
        let file = try #require(store.backend.files.openFile(.public))
        let reader = try #require(file.readers.idleResources.first?.executor)
        let before = (reader.jobCount, file.writer.executor.jobCount)
        let page = try await database.records(matching: query, resultsLimit: resultsLimit)
        #expect(page.matchResults.count == count && page.queryCursor != nil)
        #expect((reader.jobCount, file.writer.executor.jobCount) == before)
    }

    @Test func aWriteWithoutOthersRunsInItsCallersTask() async throws {
        let store = Store()
        let found = try await Self.$caller.withValue("caller") {
            try await store.backend.write(.public) { _ in Self.caller }
        }
        #expect(found == "caller")
    }

    /// Cancelling one write of a group does not cancel the others.
    @Test func queuedWritesRunInATaskOfTheirOwn() async throws {
        let store = Store()
        let gate = HeldGate()
        let first = Task {
            try await Self.$caller.withValue("first") {
                try await store.backend.write(.public) { _ in
                    await gate.wait()
                    return Task.isCancelled
                }
            }
        }
        await gate.whenReached()
        let others = (0..<3).map { _ in
            Task { try await store.backend.write(.public) { _ in (Task.isCancelled, Self.caller) } }
        }
        while store.backend.files.openFile(.public)?.waitingWrites != 3 { await Task.yield() }
        first.cancel()
        gate.open()
        #expect(try await first.value)
        for other in others {
            let (isCancelled, caller) = try await other.value
            #expect(!isCancelled && caller == nil)
        }
    }

    @Test func aCancelledWriteDoesNotBegin() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r")])
        let gate = HeldGate()
        let write = Task {
            await gate.wait()
            try await store.backend.write(.public) { _ in _ = Issue.record("The write has begun.") }
        }
        await gate.whenReached()
        write.cancel()
        gate.open()
        await #expect { try await write.value } throws: { CabinetError.Code.operationCancelled ~= $0 }
        // The writer is free again.
        try await store.insert([StoredRecord("s")])
    }
}
