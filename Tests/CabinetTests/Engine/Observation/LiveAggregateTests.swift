import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import Cabinet

@Suite("Live aggregates", .timeLimit(.minutes(15)))
struct LiveAggregateTests {
    private static let items = Query(recordType: "Items")

    private func item(_ number: Int) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
        record["number"] = number
        return record
    }

    private func store(_ count: Int) async throws -> (database: Database, service: CountingService) {
        let service = CountingService(try LocalDatabaseService(backend: MemoryBackend()))
        let database = try Container(identifier: "com.example.live", service: service).privateDatabase
        _ = try await database.modifyRecords(saving: (0..<count).map(item), deleting: [])
        _ = service.take()
        return (database, service)
    }

    @Test("The first value is one request; after the first change, a change is one request for the changes")
    func requests() async throws {
        let (database, service) = try await store(100)
        var sums = database.observeSum(of: "number", matching: Self.items, as: Int.self).makeAsyncIterator()
        #expect(try await sums.next() == 4950)
        #expect(service.take() == ["aggregate": 1])
        try await database.save(item(100))
        #expect(try await sums.next() == 5050)
        let first = service.take()
        #expect(first["aggregate"] == 1 && first["queryRecords"] == nil, "\(first)")
        for round in 1...20 {
            try await database.deleteRecord(withID: RecordID(recordName: "r\(round)"))
            try await database.save(Record(recordType: "Lists"))
            #expect(try await sums.next() != nil)
        }
        let rest = service.take()
        #expect(rest["aggregate"] == nil && rest["queryRecords"] == nil, "\(rest)")
        #expect(rest["fetchLiveChanges", default: 0] <= 41, "\(rest)")
    }

    @Test("Beyond the limit of contributions, a change of the type computes the aggregate again, another one does not")
    func beyondTheLimit() async throws {
        let (database, service) = try await store(5)
        var observation = database.observeCount(matching: Self.items)
        observation.request.contributionLimit = 6
        var counts = observation.makeAsyncIterator()
        #expect(try await counts.next() == 5)
        for number in 5..<9 {
            try await database.save(item(number))
            #expect(try await counts.next() == number + 1)
        }
        // The first value, the contributions at the first change, and a value for each change beyond the limit.
        #expect(service.take()["aggregate"] == 5)
        for _ in 0..<5 { try await database.save(Record(recordType: "Lists")) }
        try await database.deleteRecord(withID: RecordID(recordName: "r0"))
        #expect(try await counts.next() == 8)
        #expect(service.take()["aggregate"] == 1)
        // With fewer records again, the contributions are requested after some more changes.
        for number in 1..<6 {
            try await database.deleteRecord(withID: RecordID(recordName: "r\(number)"))
            #expect(try await counts.next() == 8 - number)
        }
        _ = service.take()
        for _ in 0..<12 {
            try await database.save(item(100))
            #expect(try await counts.next() == 4)
            try await database.deleteRecord(withID: RecordID(recordName: "r100"))
            #expect(try await counts.next() == 3)
        }
        let requests = service.take()["aggregate", default: 0]
        #expect(1...17 ~= requests, "\(requests)")
    }

    @Test("A response has no more contributions than the service's own limit")
    func limits() async throws {
        let (database, _) = try await store(3)
        for (limit, isKnown) in [(Int.min, false), (0, false), (2, false), (3, true), (.max, true)] {
            let response = try await database.client.perform(
                AggregateRequest(query: Self.items, contributionLimit: limit))
            #expect((response.contributions?.count == 3) == isKnown && response.result == .int64(3), "\(limit)")
        }
        #expect(try await database.client.perform(AggregateRequest(query: Self.items)).basis == nil)
    }

    @Test("However many live counts there are, changes are read once")
    func sharedReading() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "com.example.live", backend: backend).privateDatabase
        try await database.save(item(0))
        var counts = (0..<100).map { _ in database.observeCount(matching: Self.items).makeAsyncIterator() }
        for index in counts.indices { #expect(try await counts[index].next() == 1) }
        try await database.save(item(1))
        for index in counts.indices { #expect(try await counts[index].next() == 2) }
        let reads = backend.reads
        for round in 2..<12 {
            try await database.save(item(round))
            for index in counts.indices { #expect(try await counts[index].next() == round + 1) }
        }
        // A signal may arrive late.
        #expect(backend.reads - reads <= 20, "\(backend.reads - reads)")
    }

    @Test("A store that is temporarily busy does not end a live count, and an error is followed by the next value")
    func failures() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "com.example.live", backend: backend).privateDatabase
        var counts = database.observeCount(matching: Self.items).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        let busy = CabinetError(.zoneBusy, "Another program writes. Try again.")
        backend.fail([busy, busy])
        try await database.save(item(1))
        #expect(try await counts.next() == 1)
        let broken = CabinetError(.internalError, "The disk is broken.")
        backend.fail([broken, broken])
        try await database.save(item(2))
        await #expect(throws: CabinetError(.internalError)) { _ = try await counts.next() }
        guard case .failed? = counts.ending else {
            Issue.record("The observation did not say why it failed.")
            return
        }
        backend.fail([])
        #expect(try await counts.next() == 2)
        #expect(counts.ending == nil)
    }

    @Test("A released iterator holds nothing")
    func dropping() async throws {
        weak var backend: CountingBackend?
        do {
            let held = CountingBackend()
            backend = held
            let database = try Container(identifier: "com.example.live", backend: held).privateDatabase
            var counts = database.observeCount(matching: Self.items).makeAsyncIterator()
            #expect(try await counts.next() == 0)
        }
        for _ in 0..<200_000 where backend != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(backend == nil)
    }

    @Test("A request of another zone than the database's is refused")
    func otherZone() async throws {
        let (database, _) = try await store(1)
        var counts = database.inZone(RecordZone.ID(zoneName: "A"))
            .observeCount(matching: Self.items, inZoneWith: RecordZone.ID(zoneName: "B")).makeAsyncIterator()
        await #expect(throws: CabinetError(.invalidArguments)) { _ = try await counts.next() }
    }
}
