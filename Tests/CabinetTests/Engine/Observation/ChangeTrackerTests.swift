import Foundation
import Synchronization
import Testing

@testable import Cabinet

@Suite("Tracking the changes of observed databases", .timeLimit(.minutes(15)))
struct ChangeTrackerTests {
    private let backend = CountingBackend()
    private let tracker: ChangeTracker

    init() {
        tracker = ChangeTracker(backend)
    }

    private func wait(_ explanation: Comment, until isDone: () -> Bool) async throws {
        // Long tests beside this one can hold every thread of the pool for minutes.
        for _ in 0..<300_000 where !isDone() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isDone(), explanation)
    }

    @Test("A database has one history while a live query holds it, and no task afterwards")
    func sharing() async throws {
        var first: ChangeHistory? = tracker.history(of: .public)
        var second: ChangeHistory? = tracker.history(of: .public)
        let other = tracker.history(of: .private(owner: "_a"))
        #expect(first === second)
        #expect(first !== other)
        try await wait("One stream of signals for each database") { backend.streams == 2 }
        first = nil
        #expect(tracker.history(of: .public) === second)
        second = nil
        try await wait("The stream of the other database is left") { backend.streams == 1 }
        let third = tracker.history(of: .public)
        try await wait("A new history has a task") { backend.streams == 2 }
        try await backend.write(.public) { try await $0.apply([.setEntry(StorageKey("a"), "b")]) }
        try await wait("It receives signals") { third.signalCount > 0 }
        tracker.finish()
        try await wait("Finishing ends all tasks") { backend.streams == 0 }
        #expect(tracker.isFinished && third.isFinished && other.isFinished)
        for await _ in ChangeHistory.arrivals(in: [tracker.history(of: .public)]) {}
        await backend.close()
    }

    @Test("Observations end when the backend ends its signals")
    func closing() async throws {
        let history = tracker.history(of: .public)
        let arrivals = ChangeHistory.arrivals(in: [history])
        try await wait("The history begins") { backend.streams == 1 }
        await backend.close()
        for await _ in arrivals {}
        #expect(tracker.history(of: .public) !== history)
    }

    @Test("A slow live query takes nothing from a fast one, and reloads once")
    func slowObserver() async throws {
        let container = try Container(identifier: "org.cabinet.live", backend: backend)
        let database = container.privateDatabase
        var item = Record(recordType: "Items", recordID: RecordID(recordName: "r"))
        item["data"] = Data(count: 400_000)
        item["number"] = 0
        item = try await database.save(item)
        var fast = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        var slow = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        _ = try await fast.next()
        _ = try await slow.next()
        let service = try #require(container.service as? LocalDatabaseService)
        let history = service.tracker.history(of: .private(owner: Account.default.userRecordName))
        let start = try #require(history.version?.end)
        let reads = backend.reads
        for number in 1...20 {
            item["number"] = number
            item = try await database.save(item)
            #expect(try await fast.next()?.first?["number"] as? Int == number)
            #expect(history.size <= ChangeHistory.sizeLimit)
        }
        #expect(history.changes(after: start) == nil, "The slow live query has fallen behind.")
        // Each commit is one read. Signals may arrive late, and the first change may arrive before the history begins.
        #expect(backend.reads <= reads + 2 * 20 + 1, "\(backend.reads - reads)")
        let readsBefore = backend.reads
        #expect(try await slow.next()?.first?["number"] as? Int == 20)
        #expect(backend.reads <= readsBefore + 2, "\(backend.reads - readsBefore)")
        await container.close()
        #expect(try await slow.next() == nil)
        #expect(try await fast.next() == nil)
    }

    @Test("A commit that no other follows is delivered at once, and of a burst fewer results than commits")
    func deliveries() async throws {
        let container = try Container(identifier: "org.cabinet.live", backend: backend)
        let database = container.privateDatabase
        var item = try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "r")))
        var results = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        _ = try await results.next()
        let service = try #require(container.service as? LocalDatabaseService)
        let history = service.tracker.history(of: .private(owner: Account.default.userRecordName))
        let reads = backend.reads
        for number in 1...100 {
            item["number"] = number
            item = try await database.save(item)
            #expect(try await results.next()?.first?["number"] as? Int == number)
        }
        #expect(backend.reads <= reads + 100 + 100, "Each commit is one read, and at most one read finds nothing.")
        let (start, readsBefore) = (try #require(history.version?.end), backend.reads)
        try await backend.holdingReads {
            for _ in 0..<100 { try await database.save(Record(recordType: "Items")) }
        }
        while try #require(try await results.next()).count < 101 {}
        #expect(history.changes(after: start).map { $0.sets.count <= 2 } ?? true, "A read has all commits before it.")
        #expect(backend.reads - readsBefore <= 3)
        await container.close()
    }

    @Test("A change that is merged before a reload is reported")
    func mergingBeforeReload() async throws {
        let container = try Container(identifier: "org.cabinet.live", backend: backend)
        let database = container.privateDatabase
        try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "a")))
        try await database.save(Record(recordType: "Others", recordID: RecordID(recordName: "o")))
        var states = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        #expect(try await states.next()?.count == 1)
        let service = try #require(container.service as? LocalDatabaseService)
        let history = service.tracker.history(of: .private(owner: Account.default.userRecordName))
        try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "b")))
        try await wait("The first set is read") { history.size > 0 }
        // The next set is incomplete, so that the query runs again, and finds the changes of the first set.
        let last = try #require(history.version?.end)
        _ = try await database.modifyRecords(
            saving: (0...ChangeSet.maximumCount).map { _ in Record(recordType: "Others") }, deleting: [])
        try await wait("The second set is read") { history.version?.end != last }
        #expect(try await states.next()?.count == 2)
        await container.close()
    }
}
