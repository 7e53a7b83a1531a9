import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Statements count as work, and stop when the request's task is cancelled.
@Suite struct InterruptionTests {
    private func container(_ store: Store, limits: Limits = .default) throws -> Container {
        try Container(
            identifier: "com.example.work", backend: store.backend, account: Account(userRecordName: "_anna"),
            limits: limits)
    }

    /// A store with 2,000 records.
    private func filledStore() async throws -> Store {
        let store = Store()
        let database = try container(store).publicDatabase
        let records = (0..<2_000).map { number in
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
            record["n"] = number
            record["text"] = "text \(number)"
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        return store
    }

    private func plans(in snapshot: any StorageSnapshot) async throws -> [QueryPlan] {
        let fields = FieldTypes(of: "Items", in: try await snapshot.schema())
        return [
            try QueryPlan(recordType: "Items", filter: .field("n") < 0, fields: fields),
            try QueryPlan(recordType: "Items", filter: .field("n") >= 0, order: [Sort("text")], fields: fields),
            try QueryPlan(
                recordType: "Items", filter: .field("text").like("*?9*", options: .caseInsensitive), fields: fields),
        ]
    }

    @Test func scansAreCountedAndLimited() async throws {
        let store = try await filledStore()
        // Rows that do not match cost only steps of SQLite.
        let query = Query(recordType: "Items", filter: .field("n") < 0)
        let small = try container(store, limits: Limits(workPerRequest: 1_000)).publicDatabase
        for _ in 0..<2 {
            let error = await #expect(throws: CabinetError.self) { try await small.count(matching: query) }
            #expect(error?.code == .limitExceeded)
            let other = await #expect(throws: CabinetError.self) { try await small.allRecords(matching: query) }
            #expect(other?.code == .limitExceeded)
        }
        // The connection and the statement can be used again, and the limit allows results that an index finds.
        #expect(try await small.record(for: RecordID(recordName: "r7"))["n"] == 7)
        let usual = try container(store).publicDatabase
        #expect(try await usual.count(matching: query) == 0)
        try await store.backend.read(.public) { snapshot in
            let plan = try await plans(in: snapshot)[0]
            let meter = WorkMeter(limit: nil)
            _ = try await WorkMeter.$current.withValue(meter) { try await snapshot.count(matching: plan) }
            // A million records take less than a fifth of a request's limit.
            #expect(meter.spentUnits > 1_000)
            #expect(meter.spentUnits * 500 < Limits.defaultWorkPerRequest / 5)
        }
    }

    @Test func cancelledScansStopAndTheConnectionStaysUsable() async throws {
        let store = try await filledStore()
        try await store.backend.read(.public) { snapshot in
            for plan in try await plans(in: snapshot) {
                let expected = try await snapshot.count(matching: plan)
                for body in [
                    { @Sendable in _ = try await snapshot.count(matching: plan) },
                    { @Sendable in _ = try await snapshot.records(matching: plan) },
                    { @Sendable in _ = try await snapshot.value(of: .sum, over: "n", matching: plan) },
                    { @Sendable in _ = try await snapshot.counts(by: "text", matching: plan) },
                ] {
                    let meter = WorkMeter(limit: nil)
                    meter.cancel()
                    let error = await #expect(throws: CabinetError.self) {
                        try await WorkMeter.$current.withValue(meter) { try await body() }
                    }
                    #expect(error?.code == .operationCancelled)
                    // It has stopped before anything was counted.
                    #expect(meter.spentUnits == 0)
                    #expect(try await snapshot.count(matching: plan) == expected)
                }
            }
        }
    }

    /// A task that is cancelled during a read gets its error at any time.
    @Test(.timeLimit(.minutes(15))) func tasksThatAreCancelledDuringAWait() async throws {
        let store = Store()
        let database = try container(store, limits: .none).publicDatabase
        let records = (0..<300).map { number in
            var record = Record(recordType: "Items")
            record["text"] = String(repeating: "a", count: 28)
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        let query = Query(recordType: "Items", filter: try Filter("text MATCHES '(a|aa)*b'"))
        let task = Task { try await database.count(matching: query) }
        task.cancel()
        let error = await #expect(throws: CabinetError.self) { try await task.value }
        #expect(error?.code == .operationCancelled)
        #expect(try await database.count(matching: Query(recordType: "Items", filter: .constant(true))) == 300)
    }
}
