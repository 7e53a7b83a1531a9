import Cabinet
import Foundation
import Testing

@testable import CabinetSQLite

/// What SQL selects is what the filter language selects.
@Suite struct QueryAgreementTests {
    @Test(arguments: [1, 2, 3])
    func queriesAgreeWithTheirDefinition(seed: UInt64) async throws {
        let store = Store()
        var plans = RandomPlans(random: SeededGenerator(seed: seed))
        var records: [StoredRecord] = []
        for number in 0..<60 {
            records.append(plans.record("x\(number % 30)", type: number % 10 == 0 ? "Others" : "Things"))
        }
        var seen: Set<RecordID> = []
        records = try await store.insert(records.filter { seen.insert($0.recordID).inserted })
        try await store.backend.write(.public) { transaction in
            for type in ["Things", "Others"] {
                let known = try await transaction.schema().recordTypes[type] ?? [:]
                let missing = RandomPlans.fields.filter { known[$0.key] == nil }
                if !missing.isEmpty {
                    try await transaction.add(missing.map { StoredField(name: $0.key, type: $0.value) }, to: type)
                }
            }
        }
        var answered = 0
        var refused = 0
        for _ in 0..<2000 {
            let plan = plans.plan(over: records)
            let expected = Result { try plan.page(of: records) }
            let found = await result { try await store.backend.read(.public) { try await $0.records(matching: plan) } }
            switch (expected, found) {
            case (.success(let expected), .success(let found)):
                #expect(found == expected, "\(plan)")
                if found != expected { return }
                answered += expected.isEmpty ? 0 : 1
            case (.failure, .failure): refused += 1
            default:
                Issue.record("expected \(expected), found \(found), for \(plan)")
                return
            }
            let count = await result { try await store.backend.read(.public) { try await $0.count(matching: plan) } }
            if case .success(let count) = count { #expect(try plan.count(in: records) == count, "\(plan)") }
        }
        #expect(answered > 500)
        #expect(refused > 10)
    }

    private func result<Output>(_ body: () async throws -> Output) async -> Result<Output, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
