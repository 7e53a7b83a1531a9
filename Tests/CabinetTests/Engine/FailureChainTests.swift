import Cabinet
import Testing

/// A planner that finds one failure in each pass would hold the database for minutes.
@Suite("Long chains of records that cannot be saved or deleted", .timeLimit(.minutes(15)))
struct FailureChainTests {
    private static let count = 3_000

    private func id(_ index: Int) -> RecordID { RecordID(recordName: "node\(index)") }

    /// Records that each refer to the previous one.
    private func chain(_ action: Reference.Action) async throws -> (database: Database, records: [Record]) {
        let database = try Container(identifier: "chains", backend: MemoryBackend()).privateDatabase
        let records = (0..<Self.count).map { index in
            var record = Record(recordType: "Nodes", recordID: id(index))
            if index > 0 { record["previous"] = Reference(recordID: id(index - 1), action: action) }
            return record
        }
        let results = try await database.modifyRecords(saving: records, deleting: []).saveResults
        return (database, try records.compactMap { try results[$0.recordID]?.get() })
    }

    @Test("Each denies the deletion of the one before it")
    func denials() async throws {
        let (database, _) = try await chain(.deny)
        let results = try await database.modifyRecords(
            saving: [], deleting: (0..<Self.count - 1).map(id), atomically: false
        ).deleteResults
        let failures = results.values.compactMap { if case .failure(let error) = $0 { error.code } else { nil } }
        #expect(failures == Array(repeating: .referenceViolation, count: Self.count - 1))
        #expect(try await database.count(matching: Query(recordType: "Nodes")) == Self.count)
    }

    @Test("Each belongs to the one before it, and the first is deleted")
    func belongings() async throws {
        let (database, records) = try await chain(.deleteSelf)
        let results = try await database.modifyRecords(
            saving: Array(records.dropFirst()), deleting: [id(0)], atomically: false
        ).saveResults
        let failures = results.values.compactMap { if case .failure(let error) = $0 { error.code } else { nil } }
        #expect(failures == Array(repeating: .referenceViolation, count: Self.count - 1))
        #expect(try await database.count(matching: Query(recordType: "Nodes")) == 0)
    }

    @Test("Each needs the one before it, and the first is refused")
    func dependents() async throws {
        let database = try Container(identifier: "chains", backend: MemoryBackend()).privateDatabase
        let records = (1..<Self.count).map { index in
            var record = Record(recordType: "Nodes", recordID: id(index))
            record["previous"] = Reference(recordID: id(index - 1), action: .nullify)
            return record
        }
        let results = try await database.modifyRecords(saving: records, deleting: [], atomically: false).saveResults
        let failures = results.values.compactMap { if case .failure(let error) = $0 { error.code } else { nil } }
        #expect(failures == Array(repeating: .referenceViolation, count: Self.count - 1))
    }
}
