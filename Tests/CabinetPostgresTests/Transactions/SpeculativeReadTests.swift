import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// A read that asks for the schema first gets the one that the database had last, which its next statement confirms.
@Suite struct SpeculativeReadTests {
    private let configuration = Stores.configuration()

    /// Two processes that have read the same database.
    private func stores() async throws -> (PostgresBackend, PostgresBackend) {
        let first = try await Stores.backend(configuration)
        let second = try await Stores.backend(configuration)
        try await second.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("a", [("x", .int64(1))])])
        }
        _ = try await first.read(.public) { try await $0.schema() }
        return (first, second)
    }

    private func names(
        _ snapshot: any StorageSnapshot, having field: Record.FieldKey = "x", in zoneID: RecordZone.ID? = nil
    ) async throws -> [String] {
        let schema = try await snapshot.schema()
        guard schema.recordTypes["Items"]?[field] != nil else { throw CocoaError(.keyValueValidation) }
        let plan = try QueryPlan(
            recordType: "Items", zoneID: zoneID, filter: .field(field) != nil,
            fields: FieldTypes(of: "Items", in: schema))
        return try await snapshot.records(matching: plan).map(\.recordID.recordName).sorted()
    }

    @Test("A query takes one round trip, and so does the schema alone")
    func roundTrips() async throws {
        let (first, second) = try await stores()
        let trips = first.pool.roundTrips
        #expect(try await first.read(.public) { try await names($0) } == ["a"])
        #expect(first.pool.roundTrips == trips + 1)
        _ = try await first.read(.public) { try await $0.schema() }
        #expect(first.pool.roundTrips == trips + 2)
        await first.close()
        await second.close()
    }

    @Test(
        "What another process has added to the schema is found, even if the read would fail or send no statement without it"
    )
    func schemas() async throws {
        let (first, second) = try await stores()
        for round in 0..<3 {
            let field = "y\(round)"
            try await second.write(.public) { transaction in
                try await transaction.add([StoredField(name: field, type: .string)], to: "Items")
                var record = StoredRecord("b\(round)", [(field, .string("new"))])
                record.sequenceNumber = try await transaction.reserveNumber()
                record.insertionNumber = record.sequenceNumber
                try await transaction.insert([record])
            }
            switch round {
            case 0: #expect(try await first.read(.public) { try await names($0, having: field) } == ["b0"])
            case 1: #expect(try await first.read(.public) { try await $0.schema() }.recordTypes["Items"]?.count == 3)
            default: #expect(try await first.read(.public) { try await names($0) } == ["a"])
            }
        }
        await first.close()
        await second.close()
    }

    @Test("A query in a process that never writes takes one round trip in a database with several zones")
    func readers() async throws {
        let (first, second) = try await stores()
        try await second.write(.public) { transaction in
            _ = try await transaction.insertWithSchema([StoredRecord("b", zone: RecordZone.ID(zoneName: "Zone"), [])])
        }
        _ = try await first.read(.public) { try await names($0) }
        let trips = first.pool.roundTrips
        #expect(try await first.read(.public) { try await names($0) } == ["a"])
        #expect(first.pool.roundTrips == trips + 1)
        await first.close()
        await second.close()
    }

    @Test("A zone that another process has made is found by a query in it, and by one in all zones")
    func zones() async throws {
        let (first, second) = try await stores()
        for (index, isInOne) in [true, false].enumerated() {
            let zone = RecordZone.ID(zoneName: "Zone \(index)")
            try await second.write(.public) { transaction in
                var record = StoredRecord("b\(index)", zone: zone, [("x", .int64(2))])
                record.sequenceNumber = try await transaction.reserveNumber()
                record.insertionNumber = record.sequenceNumber
                try await transaction.insert([record])
            }
            let found = try await first.read(.public) { try await names($0, in: isInOne ? zone : nil) }
            #expect(found == (isInOne ? ["b0"] : ["a", "b0", "b1"]))
        }
        await first.close()
        await second.close()
    }

    @Test("A write that begins after the read is not in its snapshot, even if the read has sent no statement yet")
    func beginnings() async throws {
        let (first, second) = try await stores()
        for round in 0..<3 {
            let found = try await first.read(.public) { [names] snapshot in
                let before = try await second.read(.public) { try await names($0, "x", nil) }
                _ = try await snapshot.schema()
                try await first.write(.public) { transaction in
                    var record = StoredRecord("c\(round)\(UUID())", [("x", .int64(2))])
                    record.sequenceNumber = try await transaction.reserveNumber()
                    record.insertionNumber = record.sequenceNumber
                    try await transaction.insert([record])
                }
                return (before.count, try await names(snapshot, "x", nil).count)
            }
            #expect(found.0 == found.1)
        }
        await first.close()
        await second.close()
    }
}
