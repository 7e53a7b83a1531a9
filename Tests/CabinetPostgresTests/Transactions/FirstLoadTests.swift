import Cabinet
import Foundation
import SQLSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// The first load of a transaction is sent with the statements that begin it, for the schema that the database had
/// last.
@Suite struct FirstLoadTests {
    private let configuration = Stores.configuration()

    @Test("A load takes one round trip, and another one if the database is new to the process")
    func roundTrips() async throws {
        let backend = try await Stores.backend(configuration)
        let zone = RecordZone.ID(zoneName: "Zone")
        let owners = (0..<3).map { DatabaseKey.private(owner: "\($0)") }
        for owner in owners {
            try await backend.write(owner) { transaction in
                _ = try await transaction.insertWithSchema([
                    StoredRecord("a", [("x", .int64(1))]), StoredRecord("b", zone: zone, [("x", .int64(2))]),
                ])
            }
        }
        await backend.close()
        let other = try await Stores.backend(configuration)
        let keys = StorageKeys(
            records: [RecordID(recordName: "a"), RecordID(recordName: "b", zoneID: zone), RecordID(recordName: "c")],
            existing: [RecordID(recordName: "b", zoneID: zone), RecordID(recordName: "b")],
            entries: [StorageKey("database"), StorageKey("none")],
            entryRanges: [StorageKey("a")..<StorageKey("z"), StorageKey("z")..<StorageKey("zz")])
        for (index, owner) in owners.enumerated() {
            let before = other.pool.roundTrips
            let values = try await other.read(owner) { try await $0.load(keys) }
            // The first one connects, and reads the schema and the tables. Each reads the number of the database.
            if index > 0 { #expect(other.pool.roundTrips == before + 2) }
            #expect(values.records.map { $0?.fields["x"] } == [.int64(1), .int64(2), nil])
            #expect(values.existing == [true, false])
            #expect(values.entries == ["2", nil])
            #expect(values.entryRanges == [[StorageEntry(key: StorageKey("database"), text: "2")], []])
            #expect(values.schema.recordTypes == ["Items": ["x": .int64]])
            #expect(values.origin == nil)
            let trips = other.pool.roundTrips
            let written = try await other.write(owner) { transaction in
                let values = try await transaction.load(keys)
                try await transaction.apply([.setEntry(StorageKey("none"), nil)])
                return values
            }
            #expect(other.pool.roundTrips == trips + 2)
            #expect(written.records == values.records)
            #expect(written.origin?.isEmpty == false && written.origin?.utf8.count ?? 0 <= 200)
        }
        await other.close()
    }

    @Test("A first load for a table that does not exist is repeated for the schema that the database has")
    func wrongSchema() async throws {
        let backend = try await Stores.backend(configuration)
        let keys = StorageKeys(records: [RecordID(recordName: "a")])
        try await backend.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("a", [("x", .int64(1))])])
        }
        let schemaCache = backend.starter.schemaCache
        let expected = DatabaseRow(id: 1, schema: 1000, lastZone: 1, hasDeletions: false, writes: 1)
        func expectMissingTable() {
            let table = Table(
                TableDefinition(id: 1, recordType: "Items", name: "Missing", columns: []),
                schema: schemaCache.schema.quoted)
            var content = DatabaseSchema()
            content.add([], to: "Items")
            schemaCache.offer(Catalog(id: 1000, content: content, tables: [table]))
            schemaCache.expect(expected, in: .public)
        }
        expectMissingTable()
        let read = try await backend.read(.public) { try await $0.load(keys) }
        #expect(read.records.map { $0?.fields["x"] } == [.int64(1)])
        expectMissingTable()
        let written = try await backend.write(.public) { transaction in
            let values = try await transaction.load(keys)
            try await transaction.apply([.setEntry(StorageKey("x"), "y")])
            return values
        }
        #expect(written.records == read.records)
        // A type that exists with other fields is not a failure: the load is repeated in the same transaction.
        let other = StorageKeys(records: keys.records, entries: [StorageKey("x")])
        schemaCache.offer(Catalog(id: 1000, content: DatabaseSchema(), tables: []))
        schemaCache.expect(expected, in: .public)
        let trips = backend.pool.roundTrips
        let repeated = try await backend.read(.public) { try await $0.load(other) }
        #expect(backend.pool.roundTrips == trips + 2)
        #expect(repeated.records == read.records && repeated.entries == ["y"])
        await backend.close()
    }

    @Test("Records of many types are found in as many tables as there are")
    func manyTypes() async throws {
        let backend = try await Stores.backend(configuration)
        let records = (0..<20).map { StoredRecord("r\($0)", type: "T\($0)", [("x", .int64(Int64($0)))]) }
        try await backend.write(.public) { _ = try await $0.insertWithSchema(records) }
        let ids = records.map(\.recordID) + [RecordID(recordName: "none")]
        let values = try await backend.read(.public) {
            try await $0.load(StorageKeys(records: ids, fields: ["x"], existing: ids))
        }
        #expect(values.records.map { $0?.fields["x"] } == (0..<20).map { .int64($0) } + [nil])
        #expect(values.existing == Array(repeating: true, count: 20) + [false])
        await backend.close()
    }

    @Test("Another process's additions to the schema are seen at once, by every kind of read")
    func schemas() async throws {
        let first = try await Stores.backend(configuration)
        let second = try await Stores.backend(configuration)
        try await first.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("a", [("x", .int64(1))])])
        }
        for round in 0..<4 {
            let field = "y\(round)"
            try await second.write(.public) { transaction in
                try await transaction.add([StoredField(name: field, type: .string)], to: "Items")
                var record = StoredRecord("b\(round)", [(field, .string("new"))])
                record.sequenceNumber = try await transaction.reserveNumber()
                try await transaction.insert([record])
            }
            switch round {
            case 0:
                let found = try await first.read(.public) {
                    try await $0.records(for: [RecordID(recordName: "b0")], keys: nil)
                }
                #expect(found[0]?.fields[field] == .string("new"))
            case 1:
                let schema = try await first.read(.public) { try await $0.schema() }
                #expect(schema.recordTypes["Items"]?[field] == .string)
            case 2:
                let page = try await first.read(.public) { snapshot in
                    let schema = try await snapshot.schema()
                    let plan = try QueryPlan(
                        recordType: "Items", filter: .field(field) == "new", fields: FieldTypes(of: "Items", in: schema)
                    )
                    return try await snapshot.records(matching: plan)
                }
                #expect(page.map(\.recordID.recordName) == ["b2"])
            default:
                let last = try await first.write(.public) { transaction in
                    let schema = try await transaction.schema()
                    #expect(schema.recordTypes["Items"]?[field] == .string)
                    _ = try await transaction.reserveNumber()
                    return try await transaction.schema()
                }
                #expect(last.recordTypes["Items"]?[field] == .string)
            }
        }
        await first.close()
        await second.close()
    }

    @Test("A zone that another process has made is found at once")
    func zones() async throws {
        let first = try await Stores.backend(configuration)
        let second = try await Stores.backend(configuration)
        let one = try Container(identifier: "com.example.guess", backend: first).privateDatabase
        let other = try Container(identifier: "com.example.guess", backend: second).privateDatabase
        _ = try await one.save(Record(recordType: "Items", recordID: RecordID(recordName: "a")))
        for name in ["Zone", "Other"] {
            let zone = try await other.save(RecordZone(zoneName: name))
            let id = RecordID(recordName: "b", zoneID: zone.zoneID)
            _ = try await other.save(Record(recordType: "Items", recordID: id))
            #expect(try await one.record(for: id).recordID == id)
        }
        await first.close()
        await second.close()
    }

    @Test("A long read releases its locks, so that another client can add a column to a table that it has read")
    func locks() async throws {
        var hasty = configuration
        hasty.busyTimeout = .seconds(5)
        let first = try await Stores.backend(configuration)
        let second = try await Stores.backend(hasty)
        try await first.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("a", [("x", .int64(1))])])
        }
        try await first.read(.public) { snapshot in
            let ids = [RecordID(recordName: "a")]
            // The first call holds no locks, because it is a transaction of its own.
            for _ in 0..<2 {
                #expect(try await snapshot.records(for: ids, keys: nil).compactMap(\.self).count == 1)
            }
            try await second.write(.public) { try await $0.add([StoredField(name: "y", type: .string)], to: "Items") }
            // The snapshot is the same, and so is its schema.
            #expect(try await snapshot.records(for: ids, keys: nil).compactMap(\.self).count == 1)
            #expect(try await snapshot.schema().recordTypes["Items"]?.count == 1)
        }
        await first.close()
        await second.close()
    }

    @Test("A snapshot is fixed when it begins, even if others write before its first read")
    func beginnings() async throws {
        let first = try await Stores.backend(configuration)
        let second = try await Stores.backend(configuration)
        let ids = [RecordID(recordName: "a")]
        try await first.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("a", [("x", .int64(0))])])
        }
        _ = try await second.read(.public) { try await $0.records(for: ids, keys: nil) }
        for _ in 1...20 {
            // The body runs again if the server was late with the snapshot; then a value that it creates counts.
            let (found, before) = try await first.read(.public) { snapshot in
                let before = try await second.write(.public) { transaction in
                    let before = try await transaction.records(for: ids, keys: nil)[0]?.fields["x"]
                    guard case .int64(let number)? = before else { return before }
                    var record = StoredRecord("a", [("x", .int64(number + 1))])
                    record.sequenceNumber = try await transaction.reserveNumber()
                    try await transaction.update([record])
                    return before
                }
                return (try await snapshot.records(for: ids, keys: nil)[0]?.fields["x"], before)
            }
            #expect(found == before)
        }
        await first.close()
        await second.close()
    }
}
