import Cabinet
import Foundation
import Synchronization
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Live queries over files.
@Suite(.timeLimit(.minutes(15))) struct LiveQueryTests {
    private func database(_ backend: any StorageBackend, user: String = "_user") throws -> Database {
        try Container(identifier: "org.cabinet.live", backend: backend, account: Account(userRecordName: user))
            .privateDatabase
    }

    private func item(_ number: Int) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
        record["number"] = number
        record["group"] = number % 100
        return record
    }

    @Test func observingCreatesNoFile() async throws {
        let store = Store()
        let database = try database(store.backend)
        var states = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        #expect(try await states.next()?.isEmpty == true)
        #expect(!FileManager.default.fileExists(atPath: store.directory.path))
        try await database.save(item(1))
        #expect(try await states.next()?.count == 1)
    }

    @Test func otherBackendsChangesAreReported() async throws {
        let store = Store(SQLiteConfiguration(pollingInterval: .milliseconds(10)))
        let other = SQLiteBackend(directory: store.directory)
        let (own, foreign) = try (database(store.backend), database(other))
        var states = own.observe(Query(recordType: "Items", sortedBy: [Sort("number")])).makeAsyncIterator()
        #expect(try await states.next()?.isEmpty == true)
        try await foreign.save(item(1))
        #expect(try await states.next()?.count == 1)
        try await own.save(item(2))
        #expect(try await states.next()?.count == 2)
        try await foreign.deleteRecord(withID: item(1).recordID)
        #expect(try await states.next()?.map(\.recordID.recordName) == ["r2"])
        await other.close()
    }

    @Test func oneChangeIsNotSignaledAgainAndAgain() async throws {
        let store = Store(SQLiteConfiguration(pollingInterval: .milliseconds(5)))
        let count = Mutex(0)
        let signals = store.backend.changeSignals(of: .private(owner: "_user"))
        let counting = Task { for await _ in signals { count.withLock { $0 += 1 } } }
        let other = SQLiteBackend(directory: store.directory)
        try await database(other).save(item(1))
        // Some hundred polls, during which the commit is recent.
        try await Task.sleep(for: .seconds(1))
        await other.close()
        await store.backend.close()
        await counting.value
        let signaled = count.withLock(\.self)
        // That of the beginning, and those of the log, of the file and of the version.
        #expect((2...6).contains(signaled), "\(signaled) signals")
    }

    @Test func aProcessesChangesAreReported() async throws {
        let store = Store(SQLiteConfiguration(pollingInterval: .milliseconds(20)))
        let database = try Container(identifier: "org.cabinet.saving-process", backend: store.backend).privateDatabase
        let query = Query(recordType: "Items", filter: try Filter("number >= 100"))
        var states = database.observe(query).makeAsyncIterator()
        #expect(try await states.next()?.isEmpty == true)
        let process = try SavingProcess([store.directory.path, "a", "400", "batches"])
        let (_, errors, status) = process.finish()
        #expect(status == 0, "\(errors)")
        let expected = try await database.allRecords(matching: query)
        // Each batch but the last has lost its first record.
        #expect(expected.count == 271)
        var last: [Record] = []
        while last != expected { last = try #require(try await states.next()) }
        await store.backend.close()
        #expect(try await states.next() == nil)
    }

    @Test func anEndedObservationHoldsNoFile() async throws {
        let store = Store()
        weak var backend: SQLiteBackend?
        do {
            let held = SQLiteBackend(directory: store.directory)
            backend = held
            let database = try database(held)
            try await database.save(item(1))
            var states = database.observe(Query(recordType: "Items")).makeAsyncIterator()
            #expect(try await states.next()?.count == 1)
        }
        for _ in 0..<200_000 where backend != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(backend == nil)
    }

    @Test func aSignalStreamDoesNotHoldTheBackend() async throws {
        let store = Store()
        var backend: SQLiteBackend? = SQLiteBackend(directory: store.directory)
        let signals = try #require(backend).changeSignals(of: .public)
        backend = nil
        for await _ in signals {}
    }

    /// Observers do not keep files open, so that they leave the slots to writers.
    @Test func moreDatabasesMayBeObservedThanAreOpen() async throws {
        let store = Store(SQLiteConfiguration(maximumOpenDatabases: 2, pollingInterval: .milliseconds(5)))
        let databases = try (0..<12).map { try database(store.backend, user: "_u\($0)") }
        var observers = databases.map { $0.observe(Query(recordType: "Items")).makeAsyncIterator() }
        for index in observers.indices { #expect(try await observers[index].next()?.isEmpty == true) }
        for round in 1...2 {
            for database in databases { try await database.save(item(round)) }
            for index in observers.indices {
                var count = 0
                while count < round { count = try #require(try await observers[index].next()).count }
                #expect(count == round)
            }
            #expect(store.backend.files.count <= 2)
        }
    }

    @Test func aFileThatIsOnlyOpenedHasNotChanged() async throws {
        let store = Store()
        try await store.insert([StoredRecord("r")])
        await store.backend.close()
        // As if it were written long ago.
        let past = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3600)]
        try FileManager.default.setAttributes(past, ofItemAtPath: store.path)
        var watch = FileWatch(path: store.path, interval: .milliseconds(1))
        func change() -> FileWatch.Change { watch.change() }
        #expect(change() == .possible)
        #expect(change() == .none)
        let reader = Store(in: store.directory)
        #expect(try await reader.record(RecordID(recordName: "r")) != nil)
        #expect(change() == .none)
        await reader.backend.close()
        #expect(change() == .none)
        let writer = Store(in: store.directory)
        try await writer.insert([StoredRecord("s")])
        #expect(change() == .possible)
        #expect(change() == .recent, "what was changed just now may be changed once more")
        await writer.backend.close()
        var patient = FileWatch(path: store.path, interval: .seconds(11))
        for _ in 0..<3 {
            let change = patient.change()
            #expect(change != .none)
        }
        var missing = FileWatch(path: store.path + "-nowhere", interval: .seconds(11))
        _ = missing.change()
        let appearance = missing.change()
        #expect(appearance == .none)
    }

    /// A hundred live queries on a database that takes 2,500 saves, in batches and one by one.
    @Test(arguments: ["memory", "SQLite"])
    func aHundredObservers(kind: String) async throws {
        let store = Store(SQLiteConfiguration(durability: .normal))
        let backend: any StorageBackend = kind == "memory" ? MemoryBackend() : store.backend
        let database = try database(backend)
        let commits = 8 + 500
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let query = Query(
                        recordType: "Items", filter: try Filter("group == %d", number),
                        sortedBy: [Sort("number", ascending: number % 2 == 0)])
                    var states = 0
                    for try await items in database.observe(query) {
                        states += 1
                        guard items.count == 25 else { continue }
                        let numbers = items.compactMap { $0["number"] as? Int }
                        #expect(numbers == (number % 2 == 0 ? numbers.sorted() : numbers.sorted(by: >)))
                        #expect(states <= commits + 1)
                        return
                    }
                }
            }
            group.addTask {
                for batch in 0..<8 {
                    let records = (batch * 250..<batch * 250 + 250).map(self.item)
                    _ = try await database.modifyRecords(saving: records, deleting: [])
                }
                for number in 2_000..<2_500 { try await database.save(self.item(number)) }
            }
            try await group.waitForAll()
        }
        await backend.close()
    }
}
