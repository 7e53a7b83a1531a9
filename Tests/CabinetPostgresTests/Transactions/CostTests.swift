import Cabinet
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

@testable import CabinetPostgres

/// The numbers of round trips to the server, and of statements.
@Suite struct CostTests {
    /// The cost of some work.
    private struct Cost: Equatable {
        var trips: Int
        var statements: Int
    }

    private func cost(of work: () async throws -> Void, on backend: PostgresBackend) async rethrows -> Cost {
        let before = Cost(trips: backend.pool.roundTrips, statements: backend.pool.sentCount)
        try await work()
        return Cost(
            trips: backend.pool.roundTrips - before.trips, statements: backend.pool.sentCount - before.statements)
    }

    /// The minimum cost of a read: a long read, on a busy machine, releases its locks with one more statement.
    private func leastCost(of read: () async throws -> Void, on backend: PostgresBackend) async rethrows -> Cost {
        var least = try await cost(of: read, on: backend)
        for _ in 0..<4 {
            let next = try await cost(of: read, on: backend)
            if next.statements < least.statements { least = next }
        }
        return least
    }

    private func items(_ range: Range<Int>, in list: Record? = nil) -> [Record] {
        range.map { number in
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
            record["number"] = number
            record["name"] = "Item \(number)"
            if let list { record["list"] = Reference(record: list, action: .deleteSelf) }
            return record
        }
    }

    /// Creates a backend with one connection, and the private database of a user.
    private func makeStore() async throws -> (PostgresBackend, Database) {
        var configuration = Stores.configuration()
        configuration.maximumConnections = 1
        let backend = try await Stores.backend(configuration)
        let container = try Container(
            identifier: "com.example.trips", backend: backend, account: Account(userRecordName: "_anna"))
        return (backend, container.privateDatabase)
    }

    /// The cost does not depend on time: all statements are prepared, and no other client uses the database.
    @Test("Each kind of work takes as few round trips and statements as it needs")
    func costs() async throws {
        let (backend, database) = try await makeStore()
        let list = try await database.save(Record(recordType: "Lists", recordID: RecordID(recordName: "list")))
        let saved = items(0..<400, in: list)
        _ = try await database.modifyRecords(saving: saved, deleting: [])
        _ = try await database.record(for: saved[0].recordID)

        // Beside its result, it reads the database's row.
        let once = Cost(trips: 1, statements: 2)
        let fetch = try await leastCost(of: { _ = try await database.record(for: saved[1].recordID) }, on: backend)
        #expect(fetch == once)
        let many = try await leastCost(
            of: { _ = try await database.records(for: saved.prefix(100).map(\.recordID)) }, on: backend)
        #expect(many == once)
        let missing = await leastCost(
            of: { _ = try? await database.record(for: RecordID(recordName: "nobody")) }, on: backend)
        #expect(missing == once)
        let query = Query(
            recordType: "Items", filter: .field("list") == list.recordID, sortedBy: [Sort("number")])
        let page = try await leastCost(
            of: { _ = try await database.records(matching: query, resultsLimit: 100) }, on: backend)
        #expect(page == once)
        // The schema is in the cache, and confirmed by the database's row.
        let schema = try await leastCost(
            of: { _ = try await backend.read(.private(owner: "_anna")) { try await $0.schema() } }, on: backend)
        #expect(schema == Cost(trips: 1, statements: 1))
        let zone = try await database.save(RecordZone(zoneName: "Zone"))
        let apart = Record(recordType: "Items", recordID: RecordID(recordName: "apart", zoneID: zone.zoneID))
        _ = try await database.save(apart)
        // The zone's entry is read beside the record, and before the query.
        let fetchInZone = try await leastCost(
            of: { _ = try await database.record(for: apart.recordID) }, on: backend)
        #expect(fetchInZone == Cost(trips: 1, statements: 3))
        let all = Query(recordType: "Items", filter: .constant(true))
        let pageInZone = try await leastCost(
            of: { _ = try await database.records(matching: all, inZoneWith: zone.zoneID) }, on: backend)
        // A read of several calls also begins, sets a savepoint, and ends.
        #expect(pageInZone == Cost(trips: 2, statements: 3 + 3))

        // The first save after another kind of write reads what it needs.
        try await database.save(items(499..<500)[0])
        // A new record is inserted as if it was not stored, after checks that no other process has written,
        // and that it is not.
        // One statement writes the entries, the database's row and the mark of the write.
        let one = try await cost(of: { try await database.save(items(500..<501)[0]) }, on: backend)
        #expect(one == Cost(trips: 1, statements: 2 + 1 + 1 + 2))
        let referring = try await cost(of: { try await database.save(items(501..<502, in: list)[0]) }, on: backend)
        // One more statement checks that the target is stored.
        #expect(referring == Cost(trips: 1, statements: one.statements + 1))
        let batch = try await cost(
            of: { _ = try await database.modifyRecords(saving: items(600..<1000), deleting: []) }, on: backend)
        #expect(batch.trips == 1)
        #expect(batch.statements == one.statements + 1)
        let changed = try await database.records(for: saved.map(\.recordID)).values.map { result in
            var record = try result.get()
            record["number"] = 7
            return record
        }
        let update = try await cost(
            of: { _ = try await database.modifyRecords(saving: changed, deleting: []) }, on: backend)
        #expect(update.trips == 2)
        let deletion = try await cost(of: { try await database.deleteRecord(withID: list.recordID) }, on: backend)
        // The 402 items are deleted by one statement, however many there are.
        #expect(deletion == Cost(trips: 5, statements: 12))
        await backend.close()
    }

    @Test("Large records are sent in statements of at most four megabytes")
    func largeRecords() async throws {
        let (backend, database) = try await makeStore()
        for record in items(0..<3) { try await database.save(record) }
        let one = try await cost(of: { try await database.save(items(3..<4)[0]) }, on: backend)
        var large = items(10..<20)
        for index in large.indices { large[index]["name"] = String(repeating: "x", count: 900_000) }
        let batch = try await cost(
            of: { _ = try await database.modifyRecords(saving: large, deleting: []) }, on: backend)
        // Four records, four, and two.
        #expect(batch == Cost(trips: 1, statements: one.statements + 2))
        #expect(try await database.records(for: large.map(\.recordID)).count == large.count)
        await backend.close()
    }

    @Test("A statement is sent before the next one is encoded, even if the server waits for a lock")
    func unsentBytes() async throws {
        let parameters = try ConnectionParameters(try await PostgresServer.shared.value.connection())
        let admin = try Connection(parameters, configuration: Stores.configuration())
        let lock = SQLValue.integer(.random(in: 1 << 40...1 << 60))
        try admin.run("BEGIN")
        _ = try admin.query("SELECT pg_advisory_xact_lock($1)", [lock])
        let isSent = Atomic(false)
        let process = Atomic(Int64(0))
        async let sending: Void = {
            let connection = try Connection(parameters, configuration: Stores.configuration())
            process.store(
                try connection.query("SELECT pg_backend_pid()").first?.integer(0) ?? 0, ordering: .relaxed)
            try connection.enqueue("SELECT pg_advisory_xact_lock($1)", [lock])
            try connection.enqueue("SELECT length($1)", [.text(String(repeating: "x", count: 16 << 20))])
            try await connection.pushAll()
            isSent.store(true, ordering: .relaxed)
            try await connection.answers()
        }()
        var isWaiting = false
        for _ in 0..<3000 where !isWaiting {
            try await Task.sleep(for: .milliseconds(10))
            isWaiting =
                try admin.query(
                    "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND NOT granted)",
                    [.integer(process.load(ordering: .relaxed))]
                ).first?.boolean(0) == true
        }
        let wasSent = isSent.load(ordering: .relaxed)
        #expect(isWaiting && !wasSent)
        try admin.run("ROLLBACK")
        try await sending
    }

    @Test("A chain of references takes a round trip for each record that a deletion follows")
    func chains() async throws {
        let (backend, database) = try await makeStore()
        func deletion(of count: Int) async throws -> Int {
            var chain = items(0..<count)
            for index in chain.indices.dropFirst() {
                chain[index]["list"] = Reference(record: chain[index - 1], action: .deleteSelf)
            }
            _ = try await database.modifyRecords(saving: chain, deleting: [])
            let cost = try await cost(
                of: { try await database.deleteRecord(withID: chain[0].recordID) }, on: backend)
            #expect(try await database.count(matching: Query(recordType: "Items")) == 0)
            return cost.trips
        }
        _ = try await deletion(of: 2)
        #expect(try await deletion(of: 40) - deletion(of: 10) == 30)
        await backend.close()
    }

    /// The first call is a transaction of two statements.
    ///
    /// The second one begins, sets a savepoint, reads the database's row again, and ends.
    @Test("A read that goes on after its first statements does so in one more transaction")
    func continuations() async throws {
        let (backend, database) = try await makeStore()
        let twice = Cost(trips: 2, statements: 2 + 5)

        // SQL has compared only the beginnings of the names, so the page is read again.
        var long = items(0..<2)
        for index in long.indices { long[index]["name"] = String(repeating: "x", count: 3000) + "\(index)" }
        _ = try await database.modifyRecords(saving: long, deleting: [])
        var schema = try await database.schema()
        schema["Items"]["name"] = Schema.Field(.string, [.sortable])
        try await database.apply(schema)
        let query = Query(recordType: "Items", filter: .constant(true), sortedBy: [Sort("name")])
        let misplaced = try await leastCost(
            of: { _ = try await database.records(matching: query, resultsLimit: 100) }, on: backend)
        #expect(misplaced == twice)

        // A value that cannot be read fails its call, and not the read.
        let admin = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()),
            configuration: backend.configuration)
        var damaged = Record(recordType: "Damaged", recordID: RecordID(recordName: "damaged"))
        damaged["to"] = Reference(recordID: long[0].recordID, action: .none)
        damaged = try await database.save(damaged)
        try admin.run("UPDATE \"\(backend.configuration.schema)\".\"Damaged\" SET \"to.action\" = 77")
        let ids = [damaged.recordID, long[0].recordID]
        let failed = try await leastCost(
            of: {
                let found = try await backend.read(.private(owner: "_anna")) { snapshot in
                    let failure = try? await snapshot.records(for: [ids[0]], keys: nil)
                    return try await (failure?.count, snapshot.records(for: [ids[1]], keys: nil).count)
                }
                #expect(found == (nil, 1))
            }, on: backend)
        #expect(failed == twice)

        // With many record types, the tables that contain the records are found first.
        let types = (0..<20).map { Record(recordType: "Type\($0)", recordID: RecordID(recordName: "type\($0)")) }
        _ = try await database.modifyRecords(saving: types, deleting: [])
        let located = try await leastCost(of: { _ = try await database.record(for: types[3].recordID) }, on: backend)
        #expect(located == twice)
        await backend.close()
    }
}
