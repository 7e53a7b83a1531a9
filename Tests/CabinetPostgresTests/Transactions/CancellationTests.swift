import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// Statements that the server stops because a request's task was cancelled.
@Suite struct CancellationTests {
    @Test("The server stops a statement whose request is cancelled", .timeLimit(.minutes(15)))
    func statement() async throws {
        let parameters = try ConnectionParameters(try await PostgresServer.shared.value.connection())
        let connection = try Connection(parameters, connectionTimeLimit: 20, timeout: 60)
        let meter = WorkMeter(limit: nil)
        meter.cancel()
        for _ in 0..<3 {
            let failure = #expect(throws: PostgresFailure.self) {
                try WorkMeter.$current.withValue(meter) {
                    _ = try connection.query("SELECT pg_sleep(600)", isPrepared: false)
                }
            }
            #expect(failure?.error.code == .operationCancelled)
            #expect(!connection.isBroken)
            #expect(try connection.query("SELECT 7", isPrepared: false).first?.integer(0) == 7)
        }
        // A statement that the server stops for another reason is not a cancelled request.
        _ = try connection.query("SET statement_timeout = 1", isPrepared: false)
        let failure = #expect(throws: PostgresFailure.self) {
            try WorkMeter.$current.withValue(WorkMeter(limit: nil)) {
                _ = try connection.query("SELECT pg_sleep(600)", isPrepared: false)
            }
        }
        #expect(failure?.error.code == .serviceUnavailable)
    }

    @Test("A read that is cancelled stops, its snapshot ends, and the next one succeeds", .timeLimit(.minutes(15)))
    func read() async throws {
        let backend = try await Stores.backend()
        let container = try Container(
            identifier: "com.example.work", backend: backend, account: Account(userRecordName: "_anna"))
        let database = container.publicDatabase
        let records = (0..<500).map { number in
            var record = Record(recordType: "Items")
            record["n"] = number
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        let fields: [Record.FieldKey: FieldType] = ["n": .int64]
        let plans = [
            try QueryPlan(recordType: "Items", filter: .field("n") >= 0, fields: FieldTypes(fields)),
            try QueryPlan(
                recordType: "Items", filter: try Filter("n ** 2 >= 0"), order: [Sort("n")], fields: FieldTypes(fields)),
        ]
        for plan in plans {
            let meter = WorkMeter(limit: nil)
            meter.cancel()
            let error = await #expect(throws: CabinetError.self) {
                try await backend.read(.public) { snapshot in
                    try await WorkMeter.$current.withValue(meter) { try await snapshot.records(matching: plan) }
                }
            }
            #expect(error?.code == .operationCancelled)
            #expect(try await database.count(matching: Query(recordType: "Items", filter: .field("n") >= 0)) == 500)
        }
        await backend.close()
    }
}
