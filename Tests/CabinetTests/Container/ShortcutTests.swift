import Cabinet
import Testing

@Suite("Shortcuts of a database")
struct ShortcutTests {
    private let database: Database

    init() async throws {
        database = try Container(identifier: "com.example.notes", backend: MemoryBackend()).privateDatabase
        for (name, number) in [("a", 3), ("b", 1), ("c", 2)] {
            var record = Record(recordType: "Notes", recordID: RecordID(recordName: name))
            record["number"] = number
            try await database.save(record)
        }
    }

    @Test("The first record is that of the order")
    func first() async throws {
        let query = Query(recordType: "Notes", sortedBy: [.descending("number")])
        #expect(try await database.first(matching: query)?.recordID == "a")
        let none = Query(recordType: "Notes", filter: .field("number") == 9)
        #expect(try await database.first(matching: none) == nil)
        #expect(try await database.first(matching: query, desiredKeys: [])?.allKeys() == [])
    }

    @Test(
        "A limit ends the records",
        arguments: [(0, []), (1, ["b"]), (2, ["b", "c"]), (3, ["b", "c", "a"]), (9, ["b", "c", "a"])])
    func limit(_ limit: Int, _ expected: [String]) async throws {
        let records = try await database.allRecords(
            matching: Query(recordType: "Notes", sortedBy: ["number"]), limit: limit)
        #expect(records.map(\.recordID.recordName) == expected)
    }

    @Test("A negative limit is refused")
    func negativeLimit() async throws {
        let error = await #expect(throws: CabinetError.self) {
            try await database.allRecords(matching: Query(recordType: "Notes"), limit: -1)
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test("A record is saved under a policy")
    func savePolicy() async throws {
        var old = try await database.record(for: "a")
        try await database.update("a") { $0["number"] = 30 }
        old["number"] = 4
        let stale = old
        let error = await #expect(throws: CabinetError.self) {
            try await database.save(stale, savePolicy: .ifServerRecordUnchanged)
        }
        #expect(error?.code == .serverRecordChanged)
        #expect(try await database.save(old, savePolicy: .changedKeys)["number"] as? Int == 4)
    }
}
