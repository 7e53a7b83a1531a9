import Cabinet
import Foundation
import Testing

@Suite("Atomic batches that fail")
struct AtomicBatchTests {
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.batches", backend: MemoryBackend()).privateDatabase
    }

    private func failure(saving records: [Record], deleting ids: [RecordID] = []) async throws -> CabinetError {
        try #require(
            await #expect(throws: CabinetError.self) {
                _ = try await database.modifyRecords(saving: records, deleting: ids)
            })
    }

    @Test("The error names the causes in a line, and the other records after them")
    func description() async throws {
        let stale = try await database.save(Record(recordType: "Items", recordID: "stale"))
        try await database.update("stale") { $0["number"] = 1 }
        let new = (10..<22).map { Record(recordType: "Items", recordID: RecordID(recordName: "new \($0)")) }
        let error = try await failure(saving: [stale] + new, deleting: ["none"])
        #expect(error.code == .partialFailure && error.partialErrorsByItemID.count == 14)
        let line = "1 of the 14 records of an atomic batch failed: stale (serverRecordChanged). Nothing was changed."
        let cause = try #require(error.partialErrorsByItemID["stale"]?.errorDescription)
        #expect(error.message == line && error.localizedDescription == "\(line) \(cause)")
        let lines = error.description.split(separator: "\n")
        #expect(
            lines.prefix(3) == [
                "CabinetError: partialFailure (2)", "├─ Reason: \(line)",
                "├─ stale: CabinetError: serverRecordChanged (14)",
            ])
        let others = (10..<19).map { "new \($0)" }.joined(separator: ", ")
        #expect(lines.last == "└─ Not changed either: \(others), new 19 and 3 more")
        let many = try await failure(
            saving: (0..<5).map { Record(recordType: "Items", recordID: RecordID(recordName: "_\($0)")) })
        #expect(
            many.message
                == "5 of the 5 records of an atomic batch failed: _0 (invalidArguments), _1 (invalidArguments), _2 (invalidArguments), …. Nothing was changed."
        )
    }

    @Test("Zones without a failure are saved, and the error does not name their records")
    func zones() async throws {
        let zone = try await database.save(RecordZone(zoneName: "Travel")).zoneID
        let stale = try await database.save(Record(recordType: "Items", recordID: "stale"))
        try await database.update("stale") { $0["number"] = 1 }
        let trip = Record(recordType: "Trips", recordID: RecordID(recordName: "lisbon", zoneID: zone))
        let old = RecordID(recordName: "old", zoneID: zone)
        let error = try await failure(
            saving: [stale, trip, Record(recordType: "Items", recordID: "new")], deleting: [old])
        #expect(
            error.partialErrorsByItemID.mapValues(\.code) == [
                "stale": .serverRecordChanged, "new": .batchRequestFailed,
            ])
        #expect(
            error.message
                == "1 of the 4 records of an atomic batch failed: stale (serverRecordChanged). Nothing was changed in '_defaultZone'; the other 2 records were saved or deleted."
        )
        // The saved ones are those that the error does not name.
        let saved = try await database.record(for: trip.recordID)
        #expect(saved.recordChangeTag != nil)
        try await database.save(saved)
        let token = await #expect(throws: CabinetError.self) {
            try await database.modifyRecords(saving: [stale], deleting: [], inZoneWith: .default)
        }
        #expect(token?.code == .partialFailure)
    }
}
