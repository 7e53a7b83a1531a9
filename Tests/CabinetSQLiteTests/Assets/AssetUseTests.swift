import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The assets that records have, in columns and in lists.
@Suite(.timeLimit(.minutes(15))) struct AssetUseTests {
    private let assets: [StoredAsset]

    init() throws {
        assets = try (0..<6).map { try StoredAsset($0, size: $0) }
    }

    private func used(_ store: Store) async throws -> [Int] {
        let checksums = assets.map(\.checksum)
        let used = try await store.backend.read(.public) { try await $0.assetsInUse(among: checksums) }
        return checksums.indices.filter { used.contains(checksums[$0]) }
    }

    private func one(_ index: Int) -> FieldValue { .asset(Asset(assets[index])) }

    private func list(_ indices: Int...) -> FieldValue { .list(.asset(indices.map { Asset(assets[$0]) })) }

    @Test func columnsAndListsAreLookedUp() async throws {
        let store = Store()
        #expect(try await used(store) == [])
        let records = try await store.insert([
            StoredRecord("a", [("image", one(0)), ("pages", list(1, 1, 2)), ("others", list(2))]),
            StoredRecord("b", type: "Notes", [("picture", one(0)), ("x", one(3))]),
            StoredRecord("c", type: "Plain", [("x", .int64(1))]),
        ])
        #expect(try await used(store) == [0, 1, 2, 3])
        var changed = records[0]
        changed.fields["pages"] = list(4)
        changed.fields["image"] = one(5)
        let update = changed
        try await store.backend.write(.public) { try await $0.update([update]) }
        #expect(try await used(store) == [0, 2, 3, 4, 5])
        #expect(try await store.record(changed.recordID)?.fields["pages"] == list(4))
        // Like the core, which reads a record before it changes it.
        try await store.backend.write(.public) { transaction in
            var record = try await transaction.records(for: [update.recordID], keys: nil)[0]
            record?.fields["others"] = nil
            try await transaction.update([#require(record)])
        }
        #expect(try await used(store) == [0, 3, 4, 5])
        try await store.backend.write(.public) { transaction in
            try await transaction.remove([update.recordID], firstSequenceNumber: 90, date: Date())
        }
        #expect(try await used(store) == [0, 3])
        #expect(try store.sql("SELECT * FROM cabinet_list_asset").isEmpty)
    }

    @Test func aRemovedZoneHasNone() async throws {
        let store = Store()
        let zone = RecordZone.ID(zoneName: "Travel")
        try await store.insert([
            StoredRecord("a", zone: zone, [("image", one(0)), ("pages", list(1))]),
            StoredRecord("b", [("pages", list(2))]),
        ])
        try await store.backend.write(.public) { try await $0.apply([.eraseZone(zone)]) }
        #expect(try await used(store) == [2])
        #expect(try store.sql("SELECT count(*) FROM cabinet_list_asset") == [["1"]])
    }

    /// The work does not depend on the number of records, nor on the number of those that have the asset.
    @Test func everyLookUpHasAnIndex() async throws {
        let store = Store()
        try await store.insert([StoredRecord("a", [("image", one(0)), ("pages", list(1))])])
        try await store.insert([StoredRecord("b", [("late", one(0))])])
        func plan(_ sql: String) throws -> String {
            try store.sql("EXPLAIN QUERY PLAN \(sql)").map { $0.last.flatMap { $0 } ?? "" }.joined(separator: "; ")
        }
        for column in ["image", "late"] {
            let plan = try plan("SELECT 1 FROM Items WHERE \(column) >= 'a:' AND \(column) < 'a;' LIMIT 1")
            #expect(plan.contains("SEARCH Items USING COVERING INDEX cabinet_asset_Items.\(column)"), "\(plan)")
        }
        #expect(try plan("SELECT 1 FROM cabinet_list_asset WHERE checksum = 'a'").contains("PRIMARY KEY"))
        #expect(
            try plan("DELETE FROM cabinet_list_asset WHERE type = 1 AND row = 1").contains("cabinet_list_asset_source"))
    }
}
