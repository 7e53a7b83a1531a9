import Cabinet
import Testing

@Suite("Entries that are stored together with records")
struct BatchEntryTests {
    private let backend = MemoryBackend()
    private let database: Database
    private let key = StorageKey("test", "a")

    init() throws {
        database = try Container(identifier: "test", backend: backend).privateDatabase
    }

    private func text() async throws -> String? {
        let key = key
        let values = try await backend.read(.private(owner: Account.default.userRecordName)) {
            try await $0.load(StorageKeys(entries: [key]))
        }
        return values.entries.first ?? nil
    }

    @Test("They are stored with the batch, also without records, and removed")
    func stored() async throws {
        _ = try await database.itemResults(
            saving: [Record(recordType: "T", recordID: "a")], deleting: [], entries: [key: "1"])
        #expect(try await text() == "1")
        _ = try await database.itemResults(saving: [], deleting: [], entries: [key: "2"])
        #expect(try await text() == "2")
        _ = try await database.itemResults(saving: [], deleting: [], entries: [key: nil])
        #expect(try await text() == nil)
    }

    @Test("If a record fails, nothing is changed in any zone")
    func failure() async throws {
        let zone = RecordZone(zoneName: "Other")
        try await database.save(zone)
        var child = Record(recordType: "T", recordID: "child")
        child["target"] = Reference(recordID: "missing", action: .deleteSelf)
        let other = Record(recordType: "T", recordID: RecordID(recordName: "other", zoneID: zone.zoneID))
        let results = try await database.itemResults(saving: [child, other], deleting: [], entries: [key: "1"])
        #expect(code(of: results.saveResults[child.recordID]) == .referenceViolation)
        #expect(code(of: results.saveResults[other.recordID]) == .batchRequestFailed)
        #expect(try await text() == nil)
        #expect(code(of: try await database.records(for: [other.recordID])[other.recordID]) == .unknownItem)
    }

    private func code(of result: Result<Record, CabinetError>?) -> CabinetError.Code? {
        if case .failure(let error)? = result { error.code } else { nil }
    }
}
