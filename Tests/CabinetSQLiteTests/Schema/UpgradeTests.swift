import Cabinet
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The first write to a file of layout 7 brings it to the current layout.
@Suite struct UpgradeTests {
    private static let oldIndex =
        #"CREATE INDEX "cabinet_change_Items" ON "Items"("___zone", "___etag")"#

    /// Returns a closed store of layout 7, with a record that has changed since its insertion, and its records.
    private func oldStore() async throws -> (Store, [StoredRecord]) {
        let store = Store()
        var records = try await store.insert((0..<5).map { StoredRecord("r\($0)", [("number", .int64(Int64($0)))]) })
        var changed = records[1]
        changed.sequenceNumber = 99
        changed.fields["number"] = .int64(7)
        try await store.backend.write(.public) { [records, changed] in
            try await $0.apply([.update(changed, replacing: records[1])])
        }
        records[1] = changed
        await store.backend.close()
        try store.sql(#"DROP INDEX "cabinet_change_Items""#)
        try store.sql(Self.oldIndex)
        try store.sql("PRAGMA user_version = 7")
        return (store, records)
    }

    private func index(in store: Store) throws -> String? {
        try store.sql("SELECT sql FROM sqlite_master WHERE name = 'cabinet_change_Items'")[0][0]
    }

    private func changes(in store: Store) async throws -> [Int64] {
        try await store.backend.read(.public) {
            try await $0.changes(in: .default, after: 0, limit: 10, of: .all(fields: nil)).map(\.sequenceNumber)
        }
    }

    @Test func theFirstWriteReplacesTheIndex() async throws {
        let (closed, records) = try await oldStore()
        let store = Store(in: closed.directory)
        let numbers = records.map(\.sequenceNumber).sorted()
        #expect(try await changes(in: store) == numbers)
        #expect(try index(in: store) == Self.oldIndex, "a read changes nothing")
        #expect(try store.sql("PRAGMA user_version") == [["7"]])

        try await store.insert([StoredRecord("new")])
        #expect(try index(in: store)?.hasSuffix(#"WHERE "___etag" <> "___insertion""#) == true)
        #expect(try store.sql("PRAGMA user_version") == [["\(Layout.version)"]])
        #expect(try await Set(changes(in: store)).isStrictSuperset(of: numbers))
        #expect(try await store.record(records[1].recordID) == records[1])
        let maintenance = try #require(store.backend.abilities.maintenance)
        #expect(try await maintenance.issues(in: .public, limit: 10) == [])
    }

    @Test func aWriteThatIsRolledBackChangesNothing() async throws {
        let (closed, _) = try await oldStore()
        let store = Store(in: closed.directory)
        await #expect(throws: CancellationError.self) {
            try await store.backend.write(.public) { _ in throw CancellationError() }
        }
        #expect(try index(in: store) == Self.oldIndex)
        #expect(try store.sql("PRAGMA user_version") == [["7"]])
        try await store.insert([StoredRecord("new")])
        #expect(try store.sql("PRAGMA user_version") == [["\(Layout.version)"]])
        #expect(try await changes(in: store).count == 6)
    }

    /// An earlier program that has the file open reads its layout again, and refuses it.
    @Test func theVersionOfTheSchemaChanges() async throws {
        let (closed, _) = try await oldStore()
        let first = Store(in: closed.directory)
        try await first.insert([StoredRecord("new")])
        await first.backend.close()
        try first.sql("PRAGMA user_version = 8")
        let version = try first.sql("PRAGMA schema_version")
        let store = Store(in: closed.directory)
        try await store.insert([StoredRecord("newer")])
        #expect(try store.sql("PRAGMA user_version") == [["\(Layout.version)"]])
        #expect(try store.sql("PRAGMA schema_version") != version)
    }
}
