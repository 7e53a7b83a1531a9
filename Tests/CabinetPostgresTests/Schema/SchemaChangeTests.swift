import Cabinet
import CabinetConformance
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

@testable import CabinetPostgres

/// Tables that are created and changed while others use them.
@Suite struct SchemaChangeTests {
    private func database(_ backend: PostgresBackend, user: String = "_anna") throws -> Database {
        try Container(identifier: "com.example.schema", backend: backend, account: Account(userRecordName: user))
            .privateDatabase
    }

    @Test("Several servers may begin at once, with the same fields and with others")
    func simultaneousStarts() async throws {
        let configuration = Stores.configuration()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in 0..<6 {
                group.addTask {
                    let backend = try await Stores.backend(configuration)
                    let database = try self.database(backend, user: "_user\(server % 3)")
                    for number in 0..<4 {
                        var record = Record(
                            recordType: "Items", recordID: RecordID(recordName: "\(server)-\(number)"))
                        record["shared\(number)"] = number
                        record["own\(server)"] = "text"
                        try await database.save(record)
                    }
                    await backend.close()
                }
            }
            try await group.waitForAll()
        }
        let backend = try await Stores.backend(configuration)
        for user in 0..<3 {
            let all = try await database(backend, user: "_user\(user)")
                .allRecords(matching: Query(recordType: "Items"))
            #expect(all.count == 8)
            #expect(all.allSatisfy { $0.allKeys().count == 2 })
        }
        await backend.close()
    }

    @Test("A field may have another type in another database, and each has its own schema")
    func typesByDatabase() async throws {
        let backend = try await Stores.backend()
        var number = Record(recordType: "Items", recordID: RecordID(recordName: "a"))
        number["x"] = 5
        var text = Record(recordType: "Items", recordID: RecordID(recordName: "a"))
        text["x"] = "five"
        text["y"] = 1.5
        let (anna, ben) = (try database(backend), try database(backend, user: "_ben"))
        try await anna.save(number)
        try await ben.save(text)
        #expect(try await anna.record(for: number.recordID)["x"] == 5)
        #expect(try await ben.record(for: text.recordID)["x"] == "five")
        let schemas = try await [DatabaseKey.private(owner: "_anna"), .private(owner: "_ben")].asyncMap { key in
            try await backend.read(key) { try await $0.schema().recordTypes["Items"] }
        }
        #expect(schemas == [["x": .int64], ["x": .string, "y": .double]])
        await backend.close()
    }

    @Test("Names that SQL reserves, truncates or does not distinguish")
    func names() async throws {
        let backend = try await Stores.backend()
        let long = String(repeating: "aVeryLongName", count: 15)
        let types = [
            "cabinet_zone", "Items", "items", "Items_pkey", "items_pkey", "pg_class", "select", long + "1", long + "2",
        ]
        let fields = ["ctid", "xmin", "order", "Name", "name", "cabinet_x", long + "1", long + "2"]
        let database = try database(backend)
        for (position, type) in types.enumerated() {
            var record = Record(recordType: type, recordID: RecordID(recordName: "in\(position)"))
            for field in fields { record[field] = "\(type) \(field)" }
            record["\(long)r"] = Reference(recordID: record.recordID, action: .nullify)
            try await database.save(record)
        }
        let other = try await Stores.backend(backend.configuration)
        for type in types {
            let found = try await self.database(other).allRecords(matching: Query(recordType: type))
            #expect(found.count == 1)
            for field in fields { #expect(found.first?[field] == "\(type) \(field)") }
        }
        await backend.close()
        await other.close()
    }

    @Test(
        "Indexes hold records with long texts, are created during writes, and are dropped when no schema asks for them")
    func indexes() async throws {
        let backend = try await Stores.backend()
        let (anna, ben) = (try database(backend), try database(backend, user: "_ben"))
        var schema = Schema()
        schema["Items"]["text"] = Schema.Field(.string, [.queryable, .sortable, .searchable])
        schema["Items"]["data"] = Schema.Field(.bytes, .queryable)
        schema["Items"]["at"] = Schema.Field(.location, .queryable)
        schema["Items"].indexes = [["text", "data"]]
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "a"))
        record["text"] = String((0..<20_000).map { _ in Character(Unicode.Scalar(UInt8.random(in: 97...122))) })
        record["data"] = Data((0..<20_000).map { _ in UInt8.random(in: 0...255) })
        record["at"] = Location(latitude: 1, longitude: 2)
        try await anna.save(record)
        try await anna.apply(schema)
        try await ben.apply(schema)
        try await ben.save(record)
        func made() async throws -> Int {
            let connection = try Connection(
                ConnectionParameters(try await PostgresServer.shared.value.connection()),
                configuration: backend.configuration)
            return try PhysicalTables(loadingFrom: connection, schema: SchemaName(backend.configuration.schema))
                .indexes.count
        }
        // Text and bytes, the location, both together, and the words.
        #expect(try await made() == 5)
        for database in [anna, ben] {
            let query = Query(recordType: "Items", filter: try Filter("text == %@", record["text"] as? String ?? ""))
            #expect(try await database.allRecords(matching: query).count == 1)
        }
        try await anna.apply(Schema())
        #expect(try await made() == 5)
        try await backend.write(.private(owner: "_anna")) { try await $0.setIndexes([], of: "Items") }
        #expect(try await made() == 5)
        try await backend.write(.private(owner: "_ben")) { try await $0.setIndexes([], of: "Items") }
        #expect(try await made() == 0)
        await backend.close()
    }

    /// A backend, and two databases with a field.
    private func backendWithField() async throws -> (PostgresBackend, DatabaseKey, DatabaseKey) {
        let backend = try await Stores.backend()
        let (anna, ben) = (DatabaseKey.private(owner: "_anna"), DatabaseKey.private(owner: "_ben"))
        for key in [anna, ben] {
            try await backend.write(key) { try await $0.add([StoredField(name: "x", type: .int64)], to: "Items") }
        }
        return (backend, anna, ben)
    }

    /// Returns the names of the indexes that schemas request, and drops them if they are not to be kept.
    @discardableResult
    private static func indexes(
        _ configuration: PostgresConfiguration, areKept: Bool = true
    ) async throws -> Set<String> {
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let names = try PhysicalTables(loadingFrom: connection, schema: SchemaName(configuration.schema)).indexes
        if !areKept { for name in names { try connection.run("DROP INDEX \"\(configuration.schema)\".\"\(name)\"") } }
        return names
    }

    @Test("An index that a schema requests is not dropped before that schema is committed")
    func removalBeforeCommit() async throws {
        let (backend, anna, ben) = try await backendWithField()
        let other = try await Stores.backend(backend.configuration)
        try await backend.write(anna) { try await $0.setIndexes([.queryable("x")], of: "Items") }
        try await backend.write(ben) { transaction in
            try await transaction.setIndexes([.queryable("x")], of: "Items")
            try await other.write(anna) { try await $0.setIndexes([], of: "Items") }
        }
        #expect(try await Self.indexes(backend.configuration).count == 1)
        // The index has not been kept for good.
        try await other.write(ben) { try await $0.setIndexes([], of: "Items") }
        #expect(try await Self.indexes(backend.configuration).isEmpty)
        await backend.close()
        await other.close()
    }

    @Test("An index that was created for a write, and dropped before the write has run, is created again")
    func removalBeforeRun() async throws {
        let (backend, anna, _) = try await backendWithField()
        let configuration = backend.configuration
        let runs = Mutex(0)
        try await backend.write(anna) { transaction in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run == 2 { try await Self.indexes(configuration, areKept: false) }
            try await transaction.setIndexes([.queryable("x")], of: "Items")
        }
        #expect(try await Self.indexes(configuration).count == 1)
        await backend.close()
    }

    @Test("An index of a large table is built while others write")
    func concurrentIndexes() async throws {
        var configuration = Stores.configuration()
        configuration.concurrentIndexSize = 0
        let backend = try await Stores.backend(configuration)
        let database = try database(backend)
        func record(_ number: Int) -> Record {
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
            record["number"] = number
            record["name"] = "Item \(number)"
            return record
        }
        try await database.save(record(0))
        var schema = Schema()
        schema["Items"]["number"] = Schema.Field(.int64, [.queryable, .sortable])
        schema["Items"]["name"] = Schema.Field(.string, [.queryable, .searchable])
        let wanted = schema
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await database.apply(wanted) }
            for number in 1..<20 { group.addTask { try await database.save(record(number)) } }
            try await group.waitForAll()
        }
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let made = try PhysicalTables(loadingFrom: connection, schema: SchemaName(configuration.schema)).indexes
        #expect(made.count == 3)
        for filter in ["number >= 0", "name BEGINSWITH 'Item'", "self CONTAINS 'item'"] {
            let found = try await database.allRecords(matching: Query(recordType: "Items", filter: try Filter(filter)))
            #expect(found.count == 20, "\(filter)")
        }
        await backend.close()
    }

    @Test("A change that waits for a table lets the others use it for most of the time")
    func lockWaits() {
        var waits = LockWaits(timeLimit: .seconds(30))
        var limits: [Duration] = []
        for _ in 0..<20 {
            limits.append(waits.limit)
            let (limit, pause) = (waits.limit, waits.pause())
            #expect(pause >= limit * 9 && pause <= limit * 11)
        }
        #expect(limits.first == .milliseconds(50) && limits.max() == .milliseconds(100))
    }

    @Test("A field that a long transaction prevents names the table, and others save in the meantime")
    func heldTable() async throws {
        var configuration = Stores.configuration()
        configuration.busyTimeout = .seconds(1)
        let (backend, other) = (try await Stores.backend(configuration), try await Stores.backend(configuration))
        let record = Record(recordType: "Items", recordID: RecordID(recordName: "a"))
        try await database(backend).save(record)
        let admin = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let table = "\"\(configuration.schema)\".\"Items\""
        try admin.run("BEGIN")
        try admin.run("LOCK TABLE \(table) IN ACCESS SHARE MODE")
        var changed = Record(recordType: "Items", recordID: RecordID(recordName: "b"))
        changed["field"] = 1
        let wider = changed
        async let saved = database(backend).save(wider)
        for number in 0..<10 {
            try await database(other, user: "_ben").save(
                Record(recordType: "Items", recordID: RecordID(recordName: "\(number)")))
        }
        do {
            _ = try await saved
            Issue.record("The table has got a field in spite of the lock.")
        } catch let error as CabinetError {
            #expect(error.code == .zoneBusy && error.retryAfterSeconds != nil, "\(error)")
            #expect(error.message.contains(table) && error.message.contains("pg_dump"), "\(error)")
        }
        try admin.run("ROLLBACK")
        try await database(backend).save(wider)
        await backend.close()
        await other.close()
    }

    @Test(
        "Partitioned tables obey the rules of storage",
        arguments: ConformanceRule.all.filter { [.storage, .references, .changes].contains($0.family) })
    func partitions(_ rule: ConformanceRule) async throws {
        var configuration = Stores.configuration()
        configuration.partitions = 3
        let settings = configuration
        try await rule.run(timeLimit: .seconds(600)) { try await Stores.cheapBackend(settings) }
    }
}

extension Sequence {
    fileprivate func asyncMap<Output>(_ body: (Element) async throws -> Output) async rethrows -> [Output] {
        var all: [Output] = []
        for element in self { all.append(try await body(element)) }
        return all
    }
}
