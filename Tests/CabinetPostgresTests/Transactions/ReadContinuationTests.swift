import Cabinet
import PostgresTestSupport
import StorageTestSupport
import Synchronization
import Testing

@testable import CabinetPostgres

/// A read's first call is a transaction of its own.
///
/// A second call goes on in another one, if the database is still the same.
@Suite struct ReadContinuationTests {
    private let configuration = Stores.configuration()
    private let ids = [RecordID(recordName: "a"), RecordID(recordName: "b")]

    /// Stores two records with the same value.
    private func makeBackend() async throws -> PostgresBackend {
        let backend = try await Stores.backend(configuration)
        try await backend.write(.public) { [ids] transaction in
            let records = ids.map { StoredRecord($0.recordName, [("x", .int64(0))]) }
            _ = try await transaction.insertWithSchema(records)
        }
        // Without the cached schema, a query needs two calls.
        _ = try await backend.read(.public) { try await $0.schema() }
        return backend
    }

    private func setValues(to value: Int64, _ backend: PostgresBackend) async throws {
        try await backend.write(.public) { [ids] transaction in
            var records = try await transaction.records(for: ids, keys: nil).compactMap(\.self)
            for index in records.indices {
                records[index] = StoredRecord(ids[index].recordName, [("x", .int64(value))])
                records[index].sequenceNumber = try await transaction.reserveNumber()
            }
            try await transaction.update(records)
        }
    }

    private func value(_ index: Int, _ snapshot: any StorageSnapshot) async throws -> FieldValue? {
        try await snapshot.records(for: [ids[index]], keys: nil).first??.fields["x"]
    }

    private func page(_ snapshot: any StorageSnapshot) async throws -> [FieldValue?] {
        let schema = try await snapshot.schema()
        let plan = try QueryPlan(
            recordType: "Items", filter: .constant(true), limit: 10, fields: FieldTypes(of: "Items", in: schema))
        return try await snapshot.records(matching: plan).map { $0.fields["x"] }
    }

    @Test("A read of several calls runs once if the database does not change between the first two")
    func unchanged() async throws {
        let backend = try await makeBackend()
        let runs = Atomic(0)
        let found = try await backend.read(.public) { [value, page] snapshot in
            runs.add(1, ordering: .relaxed)
            let first = try await value(0, snapshot)
            // After the second call, the snapshot is kept.
            let second = try await value(1, snapshot)
            return try await [first, second] + page(snapshot)
        }
        let expected = [FieldValue?](repeating: .int64(0), count: 4)
        #expect(found == expected)
        #expect(runs.load(ordering: .relaxed) == 1)
        await backend.close()
    }

    @Test(
        "A read runs again, once, if the database changes between its first two calls",
        arguments: [false, true])
    func changed(isQuery: Bool) async throws {
        let backend = try await makeBackend()
        let writer = try await Stores.backend(configuration)
        let runs = Atomic<Int64>(0)
        let found = try await backend.read(.public) { [value, page, setValues] snapshot in
            let run = runs.add(1, ordering: .relaxed).newValue
            let first = try await isQuery ? page(snapshot)[0] : value(0, snapshot)
            try await setValues(run, writer)
            return [first, try await value(1, snapshot), try await page(snapshot)[0]]
        }
        // The second run sees the write of the first one, and not its own.
        let expected = [FieldValue?](repeating: .int64(1), count: 3)
        #expect(found == expected)
        #expect(runs.load(ordering: .relaxed) == 2)
        await writer.close()
        await backend.close()
    }

    @Test("From the second call on, the snapshot is kept while the database changes")
    func kept() async throws {
        let backend = try await makeBackend()
        let writer = try await Stores.backend(configuration)
        let runs = Atomic(0)
        let found = try await backend.read(.public) { [value, page, setValues] snapshot in
            runs.add(1, ordering: .relaxed)
            var found = [try await value(0, snapshot), try await value(1, snapshot)]
            for number in 1...2 {
                try await setValues(Int64(number), writer)
                found += try await [value(0, snapshot)] + page(snapshot)
            }
            return found
        }
        let expected = [FieldValue?](repeating: .int64(0), count: 8)
        #expect(found == expected)
        #expect(runs.load(ordering: .relaxed) == 1)
        await writer.close()
        await backend.close()
    }

    @Test("A read whose calls are far apart sees one state while another process writes")
    func consistency() async throws {
        let backend = try await makeBackend()
        let writer = try await Stores.backend(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [setValues] in
                for number in 1...150 { try await setValues(Int64(number), writer) }
            }
            for _ in 0..<50 {
                let found = try await backend.read(.public) { [value, page] snapshot in
                    let first = try await value(0, snapshot)
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...3)))
                    return try await [first, value(1, snapshot)] + page(snapshot)
                }
                #expect(Set(found).count == 1)
            }
            try await group.waitForAll()
        }
        await writer.close()
        await backend.close()
    }

    @Test("A statement that fails in the second call fails its call, and not the read")
    func failure() async throws {
        let backend = try await makeBackend()
        try await backend.write(.public) { try await $0.add([StoredField(name: "x", type: .int64)], to: "Broken") }
        let server = try await PostgresServer.shared.value.connection()
        let admin = try Connection(ConnectionParameters(server), configuration: configuration)
        try admin.run("ALTER TABLE \"\(configuration.schema)\".\"Broken\" RENAME TO \"Elsewhere\"")
        let broken = try QueryPlan(
            recordType: "Broken", filter: .constant(true), limit: 10, fields: FieldTypes(["x": .int64]))
        let runs = Atomic(0)
        let found = try await backend.read(.public) { [page] snapshot in
            runs.add(1, ordering: .relaxed)
            let first = try await page(snapshot)
            await #expect(throws: CabinetError.self) { try await snapshot.records(matching: broken) }
            return try await first + page(snapshot)
        }
        let expected = [FieldValue?](repeating: .int64(0), count: 4)
        #expect(found == expected)
        #expect(runs.load(ordering: .relaxed) == 1)
        await backend.close()
    }

    @Test("The statements of one call see one state while another process writes")
    func oneState() async throws {
        let backend = try await makeBackend()
        let writer = try await Stores.backend(configuration)
        let key = StorageKey("samples/number")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [ids] in
                for number in 1...300 {
                    try await writer.write(.public) { transaction in
                        var record = StoredRecord(ids[0].recordName, [("x", .int64(Int64(number)))])
                        record.sequenceNumber = try await transaction.reserveNumber()
                        try await transaction.update([record])
                        try await transaction.apply([.setEntry(key, "\(number)")])
                    }
                }
            }
            for _ in 0..<1000 {
                let values = try await backend.read(.public) { [ids] in
                    try await $0.load(StorageKeys(records: [ids[0]], entries: [key]))
                }
                guard let text = values.entries[0], let number = Int64(text) else { continue }
                #expect(values.records[0]?.fields["x"] == .int64(number))
            }
            try await group.waitForAll()
        }
        await writer.close()
        await backend.close()
    }

    @Test("A read of one call ends with its answer, and the next transaction of its connection sees the present")
    func oneCall() async throws {
        var configuration = configuration
        configuration.maximumConnections = 1
        let backend = try await Stores.backend(configuration)
        try await backend.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("a", [("x", .int64(0))])])
        }
        for number in 1..<4 {
            _ = try await backend.read(.public) { [value] in try await value(0, $0) }
            try await backend.write(.public) { transaction in
                var record = StoredRecord("a", [("x", .int64(Int64(number)))])
                record.sequenceNumber = try await transaction.reserveNumber()
                try await transaction.update([record])
            }
            let found = try await backend.read(.public) { [value] in try await value(0, $0) }
            #expect(found == .int64(Int64(number)))
        }
        await backend.close()
    }
}
