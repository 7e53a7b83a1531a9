import CabinetTesting
import Testing

@testable import Cabinet

@Suite("Drops, and changes of a type, that are too large for one transaction")
struct LargeChangeTests {
    private let container: Container
    private var database: Database { container.privateDatabase }
    private let text = SchemaPart("Items", "text")

    /// A store of 65 records with a text of 1 MiB, which they share in memory.
    init() async throws {
        container = try Container(identifier: "com.example.large", backend: MemoryBackend())
        let large = String(repeating: "x", count: 1 << 20)
        let records = (0..<65).map { number in
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "item-\(number)"))
            (record["text"], record["number"]) = (large, number)
            return record
        }
        try await database.save(records)
    }

    /// Expects a refusal that names the way to do it in batches.
    private func expectRefusal(_ way: String, _ change: () async throws -> Void) async throws {
        let error = await #expect(throws: CabinetError(.limitExceeded)) { try await change() }
        let message = error?.message ?? ""
        #expect(message.contains("64 MiB") && message.contains(way), "\(message)")
    }

    @Test("They are refused with the way to make them in batches, and change nothing")
    func refusals() async throws {
        let schema = try await database.schema()
        try await expectRefusal(".forEachRecord sets the field to nil") {
            try await container.drop(text, losingAtMost: .max)
        }
        try await expectRefusal("Delete its records first") {
            try await container.drop(SchemaPart("Items"), losingAtMost: .max)
        }
        try await expectRefusal("into a field with another name") {
            try await container.changeField("number", of: "Items", to: .double)
        }
        #expect(try await database.schema() == schema)
        #expect(try await container.lossesOfDrop(text) == 65)
        #expect(try await container.lossesOfDrop(SchemaPart("Items")) == 65)
        // Without two of the records, the others take less.
        try await database.deleteRecord(withID: RecordID(recordName: "item-0"))
        try await database.deleteRecord(withID: RecordID(recordName: "item-1"))
        #expect(try await container.drop(text, losingAtMost: .max) == 63)
    }

    @Test("An index of a value in JSON is filled, and dropped, in batches", arguments: [0, 300])
    func index(count: Int) async throws {
        let records = (0..<count).map { number in
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "small-\(number)"))
            (record["text"], record["number"]) = (#"{"a":\#(number)}"#, number)
            return record
        }
        try await database.save(records)
        var schema = try await database.schema()
        schema["Items"].indexes = [["text.@int64.a"]]
        try await container.apply(schema)
        let query = Query(recordType: "Items", filter: .field("text.@int64.a") < 7)
        #expect(try await database.count(matching: query) == min(count, 7))
        schema["Items"].indexes = []
        try await container.apply(schema)
        #expect(try await database.count(matching: query) == min(count, 7))
    }

    @Test("While an index of JSON is built, saves keep what is filled already")
    func interruptedIndex() async throws {
        let backend = FaultInjectingBackend()
        let container = try Container(identifier: "com.example.large", backend: backend)
        let database = container.privateDatabase
        let records = (0..<600).map { number in
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "item-\(number)"))
            record["text"] = #"{"a":\#(number)}"#
            return record
        }
        let saved = try await database.save(records)
        var schema = try await database.schema()
        schema["Items"].indexes = [["text.@int64.a"]]
        // The first write is that of the public database, the second one fills 256 records.
        backend.inject(.failure(.serviceUnavailable), on: .write, at: 3)
        await #expect(throws: CabinetError(.serviceUnavailable)) { try await container.apply(schema) }
        backend.removeAllInjections()
        #expect(try await database.schema()["Items"].indexes == [])
        var record = saved[0]
        record["text"] = #"{"a":1000}"#
        try await database.save(record)
        let hidden = try #require(IndexedPath("text.@int64.a")).hiddenKey
        func count(_ key: Record.FieldKey) async throws -> Int {
            try await database.count(matching: Query(recordType: "Items", filter: .field(key) == 1000))
        }
        #expect(try await count(hidden) == 1)
        try await container.apply(schema)
        #expect(try await count("text.@int64.a") == 1)
    }

    @Test("A migration empties a field in batches, after which its drop has nothing to lose")
    func migration() async throws {
        let empty = Migration("empty", .forEachRecord(of: "Items") { $0["text"] = nil }, .drop(text))
        try await container.migrate([empty])
        #expect(try await database.schema()["Items"]["text"] == nil)
        #expect(try await container.changeField("number", of: "Items", to: .double))
        #expect(try await container.drop(SchemaPart("Items"), losingAtMost: .max) == 65)
    }
}
