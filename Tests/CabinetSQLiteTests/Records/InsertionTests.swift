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
        var plan = QueryPlan(recordType: "Items", filter: .constant(true), limit: 2, fields: ["name": .string])
        var found: [Int64] = []
        repeat {
            let page = try await store.backend.read(.public) { [plan] in try await $0.records(matching: plan) }
            found += page.map(\.insertionNumber)
            plan.position = try page.last.map { try plan.position(after: $0) }
        } while plan.position != nil
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

    @Test func anUpdateKeepsTheNumber() async throws {
        let store = Store()
        let old = try await store.insert([record("a", 0)])[0]
        var new = old
        new.sequenceNumber = 8
        new.insertionNumber = 8
        await #expect {
            try await store.backend.write(.public) { [new] in try await $0.apply([.update(new, replacing: old)]) }
        } throws: { ($0 as? CabinetError)?.code == .invalidArguments }
        #expect(try await store.record(old.recordID) == old)
    }
}
