import Cabinet
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// A table has an index by zone from its first record outside of the default zone on.
@Suite struct ZoneIndexTests {
    private static let travel = RecordZone.ID(zoneName: "Travel")

    private func zoneIndexes(of store: Store) throws -> [String?] {
        try store.sql("SELECT name FROM sqlite_master WHERE name GLOB 'cabinet_zone_*' ORDER BY name").map(\.[0])
    }

    private func record(_ name: String, type: String = "Items", in zone: RecordZone.ID = .default) -> StoredRecord {
        StoredRecord(name, type: type, zone: zone, [("number", .int64(1))])
    }

    @Test func theFirstRecordOutsideOfTheDefaultZoneCreatesTheIndex() async throws {
        let store = Store()
        try await store.insert([record("a"), record("b", type: "Lists")])
        #expect(try zoneIndexes(of: store) == [])
        try await store.insert([record("c"), record("a", in: Self.travel), record("d", in: Self.travel)])
        #expect(try zoneIndexes(of: store) == ["cabinet_zone_Items"])
        await store.backend.close()

        let reopened = Store(in: store.directory)
        try await reopened.insert([record("e", type: "Lists", in: Self.travel), record("f", in: Self.travel)])
        #expect(try zoneIndexes(of: reopened) == ["cabinet_zone_Items", "cabinet_zone_Lists"])
        try await reopened.backend.write(.public) { try await $0.apply([.eraseZone(Self.travel)]) }
        #expect(try reopened.sql("SELECT ___recordID FROM Items ORDER BY 1") == [["a"], ["c"]])
        #expect(try reopened.sql("SELECT count(*) FROM cabinet_record") == [["3"]])
    }

    @Test func aWriteThatIsRolledBackCreatesNoIndex() async throws {
        let store = Store()
        try await store.insert([record("a")])
        await #expect(throws: CancellationError.self) {
            try await store.backend.write(.public) { transaction in
                _ = try await transaction.insertWithSchema([record("b", in: Self.travel)])
                throw CancellationError()
            }
        }
        #expect(try zoneIndexes(of: store) == [])
        try await store.insert([record("b", in: Self.travel)])
        #expect(try zoneIndexes(of: store) == ["cabinet_zone_Items"])
    }

    /// The table itself has the order in which a page without sort keys is read.
    @Test func pagesOfATableWithoutTheIndexAreNotSorted() async throws {
        let store = Store()
        let saved = try await store.insert((0..<50).map { record("r\($0)") })
        try await store.insert([record("a", type: "Lists", in: Self.travel)])
        for (zone, expected) in [(RecordZone.ID.default, Array(saved[20..<30])), (Self.travel, [])] {
            let plan = try QueryPlan(
                recordType: "Items", zoneID: zone, filter: .constant(true), limit: 20, fields: ["number": .int64])
            let (page, explanation) = try await store.backend.read(.public) { snapshot in
                let page = try await snapshot.records(matching: plan.continued(after: saved[19]))
                return (page, try await snapshot.abilities.aggregates?.explanation(of: plan))
            }
            #expect(page.prefix(10).map(\.recordID) == expected.map(\.recordID))
            #expect(explanation?.access == [.scan])
            #expect(explanation?.ordering == .byIndex)
        }
    }
}
