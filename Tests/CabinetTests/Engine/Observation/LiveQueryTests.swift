import Foundation
import Testing

@testable import Cabinet

@Suite("Live queries", .timeLimit(.minutes(15)))
struct LiveQueryTests {
    private func items(_ number: Int) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
        record["number"] = number
        return record
    }

    @Test("The changes of a type list no users' records")
    func users() async throws {
        let backend = MemoryBackend()
        func container(_ user: String) throws -> Container {
            try Container(
                identifier: "com.example.users", backend: backend, account: Account(userRecordName: user))
        }
        let ann = try container("_ann")
        try await ann.publicDatabase.save(Record(recordType: "Items"))
        var query = QueryRecordsRequest(in: .public)
        query.query = Query(recordType: "Items")
        query.observes = true
        var request = FetchLiveChangesRequest()
        request.scope = .public
        request.recordType = "Items"
        request.basis = try #require(try await ann.client.perform(query).basis)
        try await container("_carl").publicDatabase.save(Record(recordType: "Items"))
        let response = try await ann.client.perform(request)
        #expect(response.records.count == 1 && response.deletions.isEmpty)
        var users = request
        users.recordType = "Users"
        let refused = users
        await #expect(throws: CabinetError(.invalidArguments)) { _ = try await ann.client.perform(refused) }
    }

    @Test("However many live queries there are, changes are read once")
    func sharedReading() async throws {
        let backend = CountingBackend()
        let container = try Container(identifier: "org.cabinet.live", backend: backend)
        let database = container.privateDatabase
        // A new field would make them run their queries again.
        try await database.save(items(0))
        var observers = (0..<100).map { _ in database.observe(Query(recordType: "Items")).makeAsyncIterator() }
        for index in observers.indices { #expect(try await observers[index].next()?.count == 1) }
        for round in 1...10 {
            try await database.save(items(round))
            for index in observers.indices { #expect(try await observers[index].next()?.count == round + 1) }
        }
        // Each first result is a read, and one more if the first commit follows too soon. Then each commit is one read,
        // and a signal may arrive late.
        #expect(backend.reads <= 2 * 100 + 2 * 11, "\(backend.reads)")
        await container.close()
        for index in observers.indices { #expect(try await observers[index].next() == nil) }
    }

    @Test("A store that is temporarily busy does not end a live query")
    func busyStore() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "org.cabinet.live", backend: backend).privateDatabase
        var observer = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        _ = try await observer.next()
        let busy = CabinetError(.zoneBusy, "Another program writes. Try again.")
        backend.fail([busy, busy])
        try await database.save(items(1))
        #expect(try await observer.next()?.count == 1)
    }

    @Test("A service that is unavailable for a while does not take a change from a live query")
    func unavailableService() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "org.cabinet.live", backend: backend).privateDatabase
        var observer = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        _ = try await observer.next()
        // The history, the query and its first repetition read.
        backend.fail(Array(repeating: CabinetError(.serviceUnavailable, "A proxy has no server."), count: 3))
        try await database.save(items(1))
        #expect(try await observer.next()?.count == 1)
    }

    @Test("A live query that cannot read ends when the backend is closed without its service")
    func closedBackend() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "org.cabinet.live", backend: backend).privateDatabase
        var observer = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        _ = try await observer.next()
        let unavailable = CabinetError(.serviceUnavailable, "The store is closed.")
        backend.fail(Array(repeating: unavailable, count: 100))
        try await database.save(items(1))
        let closing = Task {
            try await Task.sleep(for: .milliseconds(300))
            await backend.close()
        }
        #expect(try await observer.next() == nil)
        try await closing.value
    }

    @Test("An error is thrown, and the next result is read again")
    func failure() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "org.cabinet.live", backend: backend).privateDatabase
        var observer = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        _ = try await observer.next()
        let broken = CabinetError(.internalError, "The disk is broken.")
        backend.fail([broken, broken])
        try await database.save(items(1))
        await #expect(throws: CabinetError.self) { _ = try await observer.next() }
        backend.fail([])
        #expect(try await observer.next()?.count == 1)
        try await database.save(items(2))
        #expect(try await observer.next()?.count == 2)
    }

    @Test("A released iterator holds nothing")
    func dropping() async throws {
        weak var backend: CountingBackend?
        do {
            let held = CountingBackend()
            backend = held
            let database = try Container(identifier: "org.cabinet.live", backend: held).privateDatabase
            var first = database.observe(Query(recordType: "Items")).makeAsyncIterator()
            var second = database.observe(Query(recordType: "Items")).differences.makeAsyncIterator()
            _ = try await first.next()
            _ = try await second.next()
        }
        for _ in 0..<200_000 where backend != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(backend == nil)
    }

    @Test("A reader that pauses sees the last state")
    func pausing() async throws {
        let database = try Container(identifier: "org.cabinet.live", backend: MemoryBackend()).privateDatabase
        var observer = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        _ = try await observer.next()
        for batch in 0..<5 {
            _ = try await database.modifyRecords(
                saving: (batch * 1_000..<batch * 1_000 + 1_000).map(items), deleting: [])
        }
        var count = 0
        while count < 5_000 { count = try await observer.next()?.count ?? .max }
        #expect(count == 5_000)
    }

    @Test("More changed zones than a change set holds are all observed")
    func manyZones() async throws {
        let database = try Container(identifier: "org.cabinet.live", backend: MemoryBackend()).privateDatabase
        var all = database.observe(Query(recordType: "Items")).makeAsyncIterator()
        let zones = (0...ChangeSet.maximumCount).map { RecordZone(zoneName: "Z\($0)") }
        let last = try #require(zones.last)
        _ = try await all.next()
        _ = try await database.modifyRecordZones(saving: zones, deleting: [])
        try await database.save(
            Record(recordType: "Items", recordID: RecordID(recordName: "a", zoneID: last.zoneID)))
        #expect(try await all.next()?.count == 1)
        _ = try await database.modifyRecordZones(saving: [], deleting: zones.map(\.zoneID))
        #expect(try await all.next()?.isEmpty == true)
    }

    @Test("Observing the shared database, or one without an account, throws the query's error")
    func refusals() async throws {
        let backend = MemoryBackend()
        let shared = try Container(identifier: "org.cabinet.live", backend: backend).sharedDatabase
        var everywhere = shared.observe(Query(recordType: "Items")).makeAsyncIterator()
        await #expect { _ = try await everywhere.next() } throws: { CabinetError.Code.invalidArguments ~= $0 }
        var somewhere = shared.observe(Query(recordType: "Items"), inZoneWith: RecordZone.ID(zoneName: "Z"))
            .makeAsyncIterator()
        await #expect { _ = try await somewhere.next() } throws: { CabinetError.Code.zoneNotFound ~= $0 }
        let stranger = try Container(identifier: "org.cabinet.live", backend: backend, account: nil)
        var own = stranger.privateDatabase.observe(Query(recordType: "Items")).makeAsyncIterator()
        await #expect { _ = try await own.next() } throws: { CabinetError.Code.notAuthenticated ~= $0 }
        var common = stranger.publicDatabase.observe(Query(recordType: "Items")).makeAsyncIterator()
        #expect(try await common.next()?.isEmpty == true)
    }
}
