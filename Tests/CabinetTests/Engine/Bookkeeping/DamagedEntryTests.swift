import Testing

@testable import Cabinet

/// Numbers that no store writes, and no server sends, but that a damaged or faulty one has.
@Suite("Damaged entries and faulty answers")
struct DamagedEntryTests {
    @Test("Changes of a mirror are counted beside any stored numbers", arguments: [Int64.max, .min])
    func pendingCounts(number: Int64) throws {
        var counts = try PendingCounts(text: "\(number) \(number)")
        let stored = counts
        counts.replace((false, false), by: (true, true))
        #expect(counts != stored)
        counts.replace((true, true), by: (false, false))
        counts.replace((true, true), by: (false, false))
        #expect(counts != stored)
    }

    @Test("A mirror goes on counting fetched records after any stored number", arguments: [Int64.max, .min])
    func fetchedCount(number: Int64) throws {
        let zone = try MirrorZone(.default, text: #"{"isStale":true,"fetchedCount":\#(number),"number":0}"#)
        #expect((-1 << 31...1 << 31).contains(zone.fetchedCount))
    }

    @Test("A batch of a mirror with fewer change tags than numbers is refused")
    func batch() throws {
        var batch = MirrorBatch()
        (batch.numbers, batch.tags) = ([7], ["a"])
        let text = try StorageEntry.codedText(of: batch)
        let read: MirrorBatch = try StorageEntry(key: MirrorBatch.key, text: text).codedValue()
        #expect(read.numbers == [7] && read.tags == ["a"])
        let damaged = StorageEntry(key: MirrorBatch.key, text: text.replacing(#"["a"]"#, with: "[]"))
        #expect(damaged.text != text)
        #expect(throws: CabinetError.self) { let _: MirrorBatch = try damaged.codedValue() }
    }

    @Test("A migration whose stored number of records has no successor is refused")
    func migration() async throws {
        let backend = MemoryBackend()
        let database = try Container(identifier: "com.example.damage", backend: backend).publicDatabase
        let records = (0..<201).map { Record(recordType: "Items", recordID: RecordID(recordName: "\($0)")) }
        try await database.save(records)
        var state = MigrationState()
        state.recordCount = .max
        let mutation = state.mutation(of: "1 due")
        try await backend.write(.public) { try await $0.apply([mutation]) }
        let error = await #expect(throws: CabinetError.self) {
            try await database.migrate([Migration("1 due", .forEachRecord(of: "Items") { $0["due"] = 1 })])
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test("A number of records that no database has is refused", arguments: [-1, 1 << 41, Int64.max, .min])
    func counts(number: Int64) {
        #expect(throws: CabinetError.self) { try AggregateGroup(value: nil, result: .int64(number)).count }
    }
}
