import Cabinet
import CabinetTesting
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// An existence query needs no sorted records.
@Suite struct UnorderedPlanTests {
    @Test func anyRecordIsFoundWithoutSorting() async throws {
        let store = Store()
        let records = (0..<50).map { number in
            StoredRecord(
                "r\(number)",
                [("list", .reference(Reference("list\(number % 2)"))), ("n", .int64(Int64(number)))])
        }
        try await store.insert(records)
        let plan = try QueryPlan(
            recordType: "Items", filter: .field("list") == RecordID(recordName: "list1"), order: [Sort("n")], limit: 2,
            fields: ["list": .reference, "n": .int64])
        let ordered = try await store.backend.read(.public) { try await $0.explanation(of: plan) }
        #expect(ordered.ordering == .sorted)
        let any = try plan.with { $0.isOrdered = false }
        let unordered = try await store.backend.read(.public) {
            (try await $0.explanation(of: any), try await $0.records(matching: any))
        }
        #expect(unordered.0.ordering == .byIndex)
        #expect(unordered.1.count == 2)
        #expect(unordered.1.allSatisfy { $0.fields["list"] == .reference(Reference("list1")) })
    }
}
