import Cabinet
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Rows have the insertion numbers of their records.
@Suite struct InsertionTests {
    private func record(_ name: String, _ number: Int64, type: String = "Items") -> StoredRecord {
        var record = StoredRecord(name, type: type, [("name", .string(name))])
        record.sequenceNumber = number
        record.insertionNumber = number
        return record
    }

    @Test func rowsLieInTheOrderOfInsertion() async throws {
        let store = Store()
        let numbers: [Int64] = [7, 3, .max, -5, 1 << 40]
        let records = numbers.map { record("r\($0)", $0) }
        try await store.backend.write(.public) { transaction in
            try await transaction.add([StoredField(name: "name", type: .string)], to: "Items")
            try await transaction.insert(records)
        }
        #expect(try store.sql("SELECT rowid, ___insertion FROM Items") == numbers.sorted().map { ["\($0)", "\($0)"] })
        var plan = try QueryPlan(recordType: "Items", filter: .constant(true), limit: 2, fields: ["name": .string])
        var found: [Int64] = []
        while true {
            let page = try await store.backend.read(.public) { [plan] in try await $0.records(matching: plan) }
            found += page.map(\.insertionNumber)
            guard let last = page.last else { break }
            plan = try plan.continued(after: last)
        }
        #expect(found == numbers.sorted())
        for record in records { #expect(try await store.record(record.recordID) == record) }
    }

    @Test func aNumberThatIsTakenIsAnError() async throws {
        let store = Store()
        let first = try await store.insert([record("a", 0)])[0]
        let second = record("b", first.insertionNumber)
        await #expect {
            try await store.backend.write(.public) { transaction in
                try await transaction.insert([record("c", 99), second])
            }
        } throws: { error in
            guard let error = error as? CabinetError else { return false }
            return error.code == .internalError && error.recordID == second.recordID
                && error.message.contains("row 1 of table Items") && error.message.contains(store.path)
        }
        #expect(try store.sql("SELECT ___recordID FROM Items") == [["a"]])
        #expect(try store.sql("SELECT recordName FROM cabinet_record") == [["a"]])
        #expect(try await store.record(first.recordID) == first)
        try await store.backend.write(.public) { try await $0.insert([record("b", 2)]) }
        #expect(try store.sql("SELECT ___recordID FROM Items") == [["a"], ["b"]])
    }

    /// A copy updates a record that was deleted and inserted again in its source.
    @Test func anUpdateMayMoveARow() async throws {
        let store = Store()
        let places = [("at", FieldValue.location(Location(latitude: 1, longitude: 2)))]
        let lists = [("list", FieldValue.list(.reference([Reference("b")])))]
        let stored = try await store.insert([
            StoredRecord("a", [("name", .string("One"))] + places + lists), StoredRecord("b"),
        ])
        try await store.backend.write(.public) {
            try await $0.setIndexes([.searchable("name"), .queryable("at")], of: "Items")
        }
        var new = stored[0]
        new.sequenceNumber = 8
        new.insertionNumber = 8
        new.fields["name"] = .string("Two")
        try await store.backend.write(.public) { [new] in
            try await $0.apply([.update(new, replacing: stored[0]), .update(new, replacing: new)])
        }
        #expect(try await store.record(new.recordID) == new)
        #expect(try store.sql("SELECT ___insertion, name FROM Items") == [["2", nil], ["8", "Two"]])
        #expect(try store.sql(#"SELECT rowid, words FROM "cabinet_search_Items.words""#) == [["8", "two ^3two"]])
        #expect(try store.sql(#"SELECT id FROM "cabinet_search_Items.at.places""#) == [["8"]])
        #expect(try store.sql("SELECT target, row FROM cabinet_list_reference") == [["b", "8"]])
        #expect(try store.sql("SELECT count(*) FROM cabinet_deletion") == [["0"]])
        let maintenance = try #require(store.backend.abilities.maintenance)
        #expect(try await maintenance.issues(in: .public, limit: 10) == [])
    }
}
