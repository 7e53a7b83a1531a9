import Cabinet
import Foundation
import Synchronization
import Testing

@testable import CabinetICloud

@Suite("A transaction in iCloud")
struct TransactionTests {
    @Test("runs again after a record that it has read and saves was changed")
    func conflict() async throws {
        let world = ICloudWorld()
        let (_, database, zone) = try await world.zone()
        let first = try await database.save(zone.record("a", number: 1))
        let other = try await world.container().privateDatabase
        let attempts = Mutex(0)
        try await database.transaction { transaction in
            var record = try await transaction.record(for: first.recordID)
            if attempts.withLock({
                $0 += 1; return $0
            }) == 1 {
                var changed = try await other.record(for: first.recordID)
                changed["number"] = 10
                try await other.save(changed)
            }
            record["number"] = (record["number"] ?? 0) + 1
            try transaction.save([record, zone.record("b\(attempts.withLock { $0 })", number: 0)])
        }
        #expect(attempts.withLock { $0 } == 2)
        #expect(try await database.record(for: first.recordID)["number"] == 11)
        #expect(await error { try await database.record(for: zone.record("b1").recordID) }?.code == .unknownItem)
        #expect(try await database.record(for: zone.record("b2").recordID)["number"] == 0)
    }

    @Test("reads a state")
    func reads() async throws {
        let world = ICloudWorld()
        let (_, database, zone) = try await world.zone()
        let ids = [zone.record("a").recordID, zone.record("b").recordID]
        _ = try await database.modifyRecords(
            saving: [zone.record("a", number: 1), zone.record("b", number: 1)], deleting: [])
        let other = try await world.container().privateDatabase
        let attempts = Mutex(0)
        let sum = try await database.transaction { transaction in
            let first: Int = try await transaction.record(for: ids[0])["number"] ?? 0
            if attempts.withLock({
                $0 += 1; return $0
            }) == 1 {
                for id in ids {
                    var record = try await other.record(for: id)
                    record["number"] = 2
                    try await other.save(record)
                }
            }
            return first + (try await transaction.record(for: ids[1])["number"] ?? 0)
        }
        #expect(sum == 4)
    }

    @Test("creates a record that it has found missing")
    func absence() async throws {
        let (_, database, zone) = try await ICloudWorld().zone()
        try await database.transaction { transaction in
            let results = try await transaction.records(for: [zone.record("a").recordID])
            #expect(results[zone.record("a").recordID]?.code == .unknownItem)
            try transaction.save(zone.record("a", number: 1))
        }
        #expect(try await database.record(for: zone.record("a").recordID)["number"] == 1)
    }

    @Test("names what CloudKit does not check")
    func refusals() async throws {
        let (_, database, zone) = try await ICloudWorld().zone()
        let record = try await database.save(zone.record("a", number: 1))
        let bodies: [@Sendable (Database.Transaction) async throws -> Void] = [
            { transaction in
                _ = try await transaction.record(for: record.recordID)
                try transaction.save(zone.record("b"))
            },
            { transaction in
                _ = try await transaction.record(for: record.recordID)
                try transaction.delete(record.recordID)
            },
            { transaction in _ = try await transaction.allRecords(matching: Query(recordType: "Items")) },
            { transaction in
                try transaction.save([Record(recordType: "Items"), Record(recordType: "Items")])
            },
        ]
        for body in bodies {
            let refusal = await error { try await database.transaction { try await body($0) } }
            #expect(refusal?.code == .serverRejectedRequest)
            #expect(refusal?.message.hasPrefix(CloudKitGap.preconditions.rawValue) == true)
        }
        #expect(try await database.record(for: record.recordID)["number"] == 1)
    }
}
