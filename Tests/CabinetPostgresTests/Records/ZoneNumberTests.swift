import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// The numbers of zones, which deletions remove.
@Suite struct ZoneNumberTests {
    private let configuration = Stores.configuration()

    private func process() async throws -> (PostgresBackend, Database) {
        let backend = try await Stores.backend(configuration)
        return (backend, try Container(identifier: "com.example.zones", backend: backend).privateDatabase)
    }

    private func item(_ name: String, in zone: RecordZone) -> Record {
        Record(recordType: "Items", recordID: RecordID(recordName: name, zoneID: zone.zoneID))
    }

    private func zoneCount() async throws -> Int64? {
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        return try connection.query("SELECT count(*) FROM \"\(configuration.schema)\".cabinet_zone").first?.integer(0)
    }

    @Test("Deleted zones leave no numbers behind, in the tables or in memory")
    func deletion() async throws {
        let (backend, database) = try await process()
        for number in 0..<5 {
            let zone = try await database.save(RecordZone(zoneName: "Zone \(number)"))
            try await database.save(item("a", in: zone))
            try await database.deleteRecordZone(withID: zone.zoneID)
        }
        #expect(try await zoneCount() == 1)
        #expect(backend.starter.schemaCache.counts.zones <= 1)
        let (other, sameDatabase) = try await process()
        let kept = try await sameDatabase.save(RecordZone(zoneName: "Zone 0"))
        try await sameDatabase.save(item("b", in: kept))
        #expect(try await database.allRecords(matching: Query(recordType: "Items")).map(\.recordID.recordName) == ["b"])
        #expect(backend.starter.schemaCache.counts.zones == 2)
        await backend.close()
        await other.close()
    }

    @Test("A row of a database that has no further numbers is damaged", arguments: ["lastZone", "writes"])
    func lastNumber(column: String) async throws {
        let (backend, database) = try await process()
        try await database.save(RecordZone(zoneName: "Zone"))
        await backend.close()
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        try connection.run("UPDATE \"\(configuration.schema)\".cabinet_state SET \"\(column)\" = \(Int64.max)")
        let (other, sameDatabase) = try await process()
        let error = await #expect(throws: CabinetError.self) {
            try await sameDatabase.save(RecordZone(zoneName: "Other"))
        }
        #expect(error?.code == .internalError)
        await other.close()
    }

    @Test("A process that knows the number of a zone notices that another one has deleted and created it again")
    func recreation() async throws {
        let (first, firstDatabase) = try await process()
        let (second, secondDatabase) = try await process()
        let (zone, other) = (RecordZone(zoneName: "Zone"), RecordZone(zoneName: "Other"))
        for database in [firstDatabase, secondDatabase] {
            for zone in [zone, other] {
                _ = try await database.save(zone)
                try await database.save(item("\(UUID())", in: zone))
            }
        }
        for round in 0..<3 {
            try await secondDatabase.deleteRecordZone(withID: zone.zoneID)
            _ = try await secondDatabase.save(zone)
            // In the last round, the process that does not know of the deletion gives the zone its new number.
            if round < 2 { try await secondDatabase.save(item("second", in: zone)) }
            try await firstDatabase.save(item("first", in: zone))
            let names = Set(round < 2 ? ["first", "second"] : ["first"])
            let (third, thirdDatabase) = try await process()
            for database in [firstDatabase, secondDatabase, thirdDatabase] {
                let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
                #expect(Set(changes.modificationResultsByID.keys.map(\.recordName)) == names)
                let all = try await database.allRecords(matching: Query(recordType: "Items"))
                #expect(Set(all.filter { $0.recordID.zoneID == zone.zoneID }.map(\.recordID.recordName)) == names)
                #expect(all.filter { $0.recordID.zoneID == other.zoneID }.count == 2)
            }
            await third.close()
        }
        #expect(try await zoneCount() == 3)
        await first.close()
        await second.close()
    }

    @Test("A read sees a zone that is deleted after its beginning to its end")
    func snapshot() async throws {
        let (backend, database) = try await process()
        let zone = try await database.save(RecordZone(zoneName: "Zone"))
        try await database.save(item("a", in: zone))
        let (other, sameDatabase) = try await process()
        let key = DatabaseKey.private(owner: Account.default.userRecordName)
        let counts = try await backend.read(key) { snapshot in
            var counts: [Int] = []
            for number in 0..<2 {
                if number == 1, try await zoneCount() == 2 {
                    try await sameDatabase.deleteRecordZone(withID: zone.zoneID)
                }
                counts.append(
                    try await snapshot.changes(in: zone.zoneID, after: 0, limit: 10, of: .all(fields: nil)).count)
            }
            return counts
        }
        #expect(counts == [1, 1] || counts == [0, 0])
        await backend.close()
        await other.close()
    }
}
