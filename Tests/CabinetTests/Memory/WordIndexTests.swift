import CabinetTesting
import Foundation
import StorageTestSupport
import Testing

@testable import Cabinet

@Suite("An index of words in memory")
struct WordIndexTests {
    private static let fields: FieldTypes = ["name": .string, "note": .string]

    private static func record(_ number: Int64, _ name: String, _ note: String? = nil) -> StoredRecord {
        StoredRecord(
            recordID: RecordID(recordName: "r\(number)"), recordType: "Items", sequenceNumber: number,
            creationDate: .distantPast, creatorName: "_a", modificationDate: .distantPast, lastModifierName: "_a",
            fields: FieldValues(
                names: FieldNames(["name", "note"]), values: [.string(name), note.map { .string($0) }]))
    }

    private static func found(
        _ filter: Filter, by index: inout WordIndex, in table: SortedMap<Int64, StoredRecord>
    ) throws -> [StoredRecord]? {
        guard let search = WordSearch(filter, in: Set(index.fields), of: fields) else { return nil }
        while try !index.readTexts(of: table) {}
        return try index.records(matching: search)
    }

    @Test("After any changes it finds each record that matches, in its current state", arguments: 1...2)
    func agreement(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let words = ["rope", "Röpe", "roper", "ro", "a", "日本語", "日本", "straße", "strass", "x1", ""]
        var table = SortedMap<Int64, StoredRecord>()
        var index = WordIndex(fields: ["name", "note"])
        for step in 0..<60 {
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let number = Int64.random(in: 0..<60, using: &random)
                let texts = (0..<2).map { _ in
                    (0..<3).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
                }
                let isRemoved = Int.random(in: 0..<4, using: &random) == 0
                table[number] =
                    isRemoved ? nil : Self.record(number, texts[0], texts[1])
            }
            let count = Int.random(in: 1...2, using: &random)
            let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
            for filter in [
                Filter.search(text), .field("name").search(text), .text(text),
                .search(text) && .field("note").matchesTokens("ro"), .search(text) || .field("name").search("x"),
            ] {
                let plan = try QueryPlan(recordType: "Items", filter: filter, fields: Self.fields)
                guard let found = try Self.found(filter, by: &index, in: table) else {
                    #expect(filter.description.contains("''") || text.allSatisfy(\.isWhitespace), "\(filter)")
                    continue
                }
                let expected = try plan.page(of: table.values.map(\.self))
                #expect(try plan.page(of: found) == expected, "\(filter), after \(step) steps")
                #expect(found.allSatisfy { table[$0.insertionNumber] == $0 })
            }
        }
    }

    @Test("Records by relevance are read from the best ones on")
    func relevance() async throws {
        let notes = RankedNotes(600, seed: 4)
        let container = try Container(
            identifier: "com.example.notes", backend: MemoryBackend(), schema: .strict(RankedNotes.schema))
        try await notes.save(in: container)
        try await notes.expectPages(in: container.privateDatabase)
        try await notes.expectOtherForms(in: container.privateDatabase)
    }

    @Test("A page by relevance reads the texts of few records", arguments: ["r", "anvil r"])
    func fewTexts(text: String) throws {
        var table = SortedMap<Int64, StoredRecord>()
        for number in 0..<2000 {
            let record = Self.record(Int64(number), number % 50 == 0 ? "Anvil, ropes" : "My anvil and my ropes")
            table[record.insertionNumber] = record
        }
        var index = WordIndex(fields: ["name"])
        while try !index.readTexts(of: table) {}
        let plan = try QueryPlan(
            recordType: "Items", filter: .field("name").search(text), order: [.relevance], limit: 20,
            fields: Self.fields)
        let search = try #require(WordSearch(plan.filter, in: ["name"], of: Self.fields))
        let ranked = try #require(plan.rankedSearch?.search)
        func work(_ page: () throws -> [StoredRecord]) throws -> (page: [StoredRecord], units: Int) {
            let meter = WorkMeter(limit: 10_000_000)
            return (try WorkMeter.$current.withValue(meter, operation: page), meter.spentUnits)
        }
        let few = try work {
            var records = try index.records(matching: search, orderedBy: ranked, after: nil)
            return try plan.page(sortedKeyCount: 1) { try records.next() }
        }
        let all = try work { try plan.page(of: table.values.map(\.self)) }
        #expect(few.page == all.page && few.page.count == 20)
        #expect(few.units * 2 < all.units)
    }

    @Test("A search that is cancelled while it reads texts leaves the rest to the next one")
    func cancellation() throws {
        var table = SortedMap<Int64, StoredRecord>()
        for number in 0..<2000 {
            let record = Self.record(Int64(number), "rope \(number) " + String(repeating: "x ", count: 50))
            table[record.insertionNumber] = record
        }
        var index = WordIndex(fields: ["name"])
        let filter = Filter.field("name").search("rope 1999 ")
        let meter = WorkMeter(limit: 50_000)
        #expect(throws: CabinetError.self) {
            try WorkMeter.$current.withValue(meter) { try Self.found(filter, by: &index, in: table) }
        }
        #expect(meter.spentUnits > 50_000)
        #expect(try Self.found(filter, by: &index, in: table)?.map(\.recordID.recordName) == ["r1999"])
    }

    @Test("The length of texts that a cancelled search has read in part counts once")
    func cancelledLength() throws {
        var table = SortedMap<Int64, StoredRecord>()
        let record = Self.record(1, String(repeating: "rope ", count: 2000), String(repeating: "and ", count: 2000))
        table[record.insertionNumber] = record
        var index = WordIndex(fields: ["name", "note"])
        #expect(throws: CabinetError.self) {
            try WorkMeter.$current.withValue(WorkMeter(limit: 15_000)) { _ = try index.readTexts(of: table) }
        }
        #expect(index.lengths == [10_000])
        #expect(try index.readTexts(of: table))
        #expect(index.lengths == [18_000])
    }

    @Test("It is rebuilt before most of it is of records that were changed")
    func rebuilding() throws {
        var table = SortedMap<Int64, StoredRecord>()
        var index = WordIndex(fields: ["name"])
        for round in 0..<2500 {
            let record = Self.record(1, "version \(round) ")
            table[record.insertionNumber] = record
            _ = try Self.found(.field("name").search("version "), by: &index, in: table)
        }
        #expect(index.records.count < 1200)
    }

    @Test("An index of words is used for fields that are marked as searchable alone")
    func explanation() async throws {
        let container = try Container(identifier: "com.example.words", backend: MemoryBackend())
        let database = container.privateDatabase
        let query = Query(recordType: "Items", filter: .search("anv"))
        var record = Record(recordType: "Items")
        record["name"] = "Anvil"
        record["note"] = "heavy"
        try await database.save(record)
        #expect(try await database.explain(query).access == [.scan])
        try await database.apply(Schema(recordTypes: ["Items": .init(fields: ["name": .init(.string, .searchable)])]))
        #expect(try await database.explain(query).access == [.index(name: "words", fields: ["name"])])
        let other = Query(recordType: "Items", filter: .field("note").search("hea"))
        #expect(try await database.explain(other).access == [.scan])
        #expect(try await database.records(matching: other).matchResults.count == 1)
    }
}
