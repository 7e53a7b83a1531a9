import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import Cabinet

/// A service that changes what a live query is answered.
private struct ChangingService: WrappingService {
    let base: any DatabaseService
    /// Runs before the service reads the records that follow the first ones.
    var beforeRest: @Sendable () async throws -> Void = {}
    /// Whether responses lack what changes are merged into, as those of a service that translates to another protocol.
    var hidesState = false

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if let query = request as? QueryRecordsRequest, query.observes, query.position != nil { try await beforeRest() }
        let response = try await base.perform(request, for: caller)
        guard hidesState else { return response }
        if var query = response as? QueryRecordsRequest.Response {
            query.basis = nil
            return try #require(query as? Request.Response)
        }
        if var aggregate = response as? AggregateRequest.Response {
            (aggregate.basis, aggregate.contributions) = (nil, nil)
            return try #require(aggregate as? Request.Response)
        }
        return response
    }
}

@Suite("The first records of a live query", .timeLimit(.minutes(15)))
struct FirstRecordsTests {
    private static let query = Query(recordType: "Items", sortedBy: "number")

    private func item(_ number: Int) -> Record {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
        record["number"] = number
        return record
    }

    private func names(_ range: Range<Int>) -> [String] { range.map { "r\($0)" } }

    @Test("Records that leave are followed by those that the query has read before; it reads as many again at a time")
    func requests() async throws {
        let service = CountingService(try LocalDatabaseService(backend: MemoryBackend()))
        let database = try Container(identifier: "com.example.first", service: service).privateDatabase
        _ = try await database.modifyRecords(saving: (0..<200).map(item), deleting: [])
        var states = database.observe(Self.query, limit: 10).makeAsyncIterator()
        #expect(try await states.next()?.map(\.recordID.recordName) == names(0..<10))
        #expect(service.count(of: QueryRecordsRequest.self) == 1)
        for number in 0..<22 {
            try await database.deleteRecord(withID: RecordID(recordName: "r\(number)"))
            #expect(try await states.next()?.map(\.recordID.recordName) == names(number + 1..<number + 11))
        }
        #expect(service.count(of: QueryRecordsRequest.self) == 3)
    }

    @Test("A commit between the changes and the missing records is part of the result")
    func commitInBetween() async throws {
        let local = try LocalDatabaseService(backend: MemoryBackend())
        let writer = try Container(identifier: "com.example.first", service: local).privateDatabase
        _ = try await writer.modifyRecords(saving: (0..<9).map(item), deleting: [])
        let service = ChangingService(
            base: local,
            beforeRest: {
                // The record moves from behind the end to the front.
                try await writer.update(RecordID(recordName: "r8")) { $0["number"] = -1 }
            })
        let database = try Container(identifier: "com.example.first", service: service).privateDatabase
        var states = database.observe(Self.query, limit: 3).makeAsyncIterator()
        _ = try await states.next()
        try await writer.deleteRecord(withID: RecordID(recordName: "r1"))
        #expect(try await states.next()?.map(\.recordID.recordName) == ["r8", "r0", "r2"])
        try await writer.deleteRecord(withID: RecordID(recordName: "r0"))
        #expect(try await states.next()?.map(\.recordID.recordName) == ["r8", "r2", "r3"])
    }

    @Test("A store that is busy while the missing records are read does not end the query")
    func busy() async throws {
        let local = try LocalDatabaseService(backend: MemoryBackend())
        let failures = Mutex(2)
        let service = ChangingService(
            base: local,
            beforeRest: {
                let isBusy = failures.withLock { count in
                    count -= 1
                    return count >= 0
                }
                if isBusy { throw CabinetError(.zoneBusy, "Another program writes. Try again.") }
            })
        let database = try Container(identifier: "com.example.first", service: service).privateDatabase
        _ = try await database.modifyRecords(saving: (0..<9).map(item), deleting: [])
        var states = database.observe(Self.query, limit: 3).makeAsyncIterator()
        _ = try await states.next()
        try await database.deleteRecord(withID: RecordID(recordName: "r1"))
        #expect(try await states.next()?.map(\.recordID.recordName) == ["r0", "r2", "r3"])
    }

    @Test("A service that returns no state of the database is queried after each change")
    func withoutState() async throws {
        let service = ChangingService(base: try LocalDatabaseService(backend: MemoryBackend()), hidesState: true)
        let database = try Container(identifier: "com.example.first", service: service).privateDatabase
        _ = try await database.modifyRecords(saving: (0..<9).map(item), deleting: [])
        var states = database.observe(Self.query, limit: 2).makeAsyncIterator()
        var counts = database.observeCount(matching: Self.query).makeAsyncIterator()
        _ = try await states.next()
        #expect(try await counts.next() == 9)
        for number in 0..<5 {
            try await database.deleteRecord(withID: RecordID(recordName: "r\(number)"))
            #expect(try await states.next()?.map(\.recordID.recordName) == names(number + 1..<number + 3))
            #expect(try await counts.next() == 8 - number)
        }
    }

    @Test("A result holds at most twice the limit")
    func bound() async throws {
        let database = try Container(identifier: "com.example.first", backend: MemoryBackend()).privateDatabase
        let plan = try QueryPlan(
            recordType: "Items", filter: .constant(true), order: [Sort("number")], fields: ["number": .int64])
        var result = LiveResult(plan, records: [], basis: LiveBasis())
        result.limit = 5
        for number in (0..<40).reversed() {
            let saved = try await database.save(item(number))
            let stored = try #require(saved.unchanged)
            _ = try result.merge(FetchLiveChangesRequest.Response(records: [Record(stored)]))
            #expect(result.records.count <= 10)
            #expect(result.value.compactMap { $0["number"] as? Int } == Array(number..<min(number + 5, 40)))
        }
        #expect(result.gap == nil && result.end != nil)
    }

    @Test("Differences are those of the first records")
    func differences() async throws {
        let database = try Container(identifier: "com.example.first", backend: MemoryBackend()).privateDatabase
        _ = try await database.modifyRecords(saving: (0..<5).map(item), deleting: [])
        var differences = database.observe(Self.query, limit: 2).differences.makeAsyncIterator()
        #expect(try await differences.next()?.inserted.count == 2)
        try await database.save(item(-1))
        let difference = try #require(try await differences.next())
        #expect(difference.inserted.map(\.recordID.recordName) == ["r-1"])
        #expect(difference.deleted.map(\.recordName) == ["r1"] && difference.moved.isEmpty)
    }
}
