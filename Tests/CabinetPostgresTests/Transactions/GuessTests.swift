import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// Transactions begin with what the process knows of a database, and find out with their first answer whether it is still so.
@Suite struct GuessTests {
    private let configuration = Stores.configuration()

    private func names(_ plan: QueryPlan, _ backend: PostgresBackend) async throws -> [String] {
        try await backend.read(.public) { try await $0.records(matching: plan).map(\.recordID.recordName) }
    }

    @Test("What another process has added to the schema is seen at once, in whatever way one looks")
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
                record.sequenceNumber = try await transaction.reserveSequenceNumbers(1)
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
                    let plan = QueryPlan(
                        recordType: "Items", filter: .field(field) == "new", fields: FieldTypes(of: "Items", in: schema)
                    )
                    return try await snapshot.records(matching: plan)
                }
                #expect(page.map(\.recordID.recordName) == ["b2"])
            default:
                let last = try await first.write(.public) { transaction in
                    let schema = try await transaction.schema()
                    #expect(schema.recordTypes["Items"]?.count ?? 0 >= 1)
                    _ = try await transaction.reserveSequenceNumbers(1)
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

    @Test("A read that goes on gives up its locks, so that somebody can add a column to the table that it has read")
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
            #expect(try await snapshot.records(for: ids, keys: nil).compactMap(\.self).count == 1)
            try await second.write(.public) { try await $0.add([StoredField(name: "y", type: .string)], to: "Items") }
            // The snapshot is the same, and so is its schema.
            #expect(try await snapshot.records(for: ids, keys: nil).compactMap(\.self).count == 1)
            #expect(try await snapshot.schema().recordTypes["Items"]?.count == 1)
        }
        await first.close()
        await second.close()
    }

    @Test("A snapshot is fixed when it begins, whoever writes before anything is read")
    func beginnings() async throws {
        let first = try await Stores.backend(configuration)
        let second = try await Stores.backend(configuration)
        let ids = [RecordID(recordName: "a")]
        try await first.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("a", [("x", .int64(0))])])
        }
        _ = try await second.read(.public) { try await $0.records(for: ids, keys: nil) }
        for _ in 1...20 {
            // The body runs again if the server was late with the snapshot; then a value counts that it writes anew.
            let (found, before) = try await first.read(.public) { snapshot in
                let before = try await second.write(.public) { transaction in
                    let before = try await transaction.records(for: ids, keys: nil)[0]?.fields["x"]
                    guard case .int64(let number)? = before else { return before }
                    var record = StoredRecord("a", [("x", .int64(number + 1))])
                    record.sequenceNumber = try await transaction.reserveSequenceNumbers(1)
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
