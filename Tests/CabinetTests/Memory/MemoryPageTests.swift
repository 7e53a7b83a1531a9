import Cabinet
import Testing

/// The work for a page of all records of a store in memory.
@Suite("Pages in memory")
struct MemoryPageTests {
    private func database(_ backend: MemoryBackend, _ limits: Limits = .default) throws -> Database {
        try Container(identifier: "com.example.pages", backend: backend, limits: limits).publicDatabase
    }

    @Test("Each page begins where the one before ended, so that iterating reads each record once")
    func iteration() async throws {
        let backend = MemoryBackend()
        let names = (0..<6_000).map { "\($0)" }
        let all = try database(backend)
        for start in stride(from: 0, to: names.count, by: 300) {
            try await all.save(
                names[start..<start + 300].map { Record(recordType: "Notes", recordID: RecordID(recordName: $0)) })
        }
        // A record that was saved again keeps its position.
        var first = try await all.record(for: RecordID(recordName: "0"))
        first["text"] = "new"
        try await all.save(first)
        try await all.deleteRecord(withID: RecordID(recordName: "99"))

        // Half of the records: a page of 100 needs at most twenty units for each of its own.
        let limited = try database(backend, Limits(workPerRequest: 3_000))
        var found: [String] = []
        for try await note in limited.recordSequence(
            matching: Query(recordType: "Notes", filter: .constant(true)), pageSize: 100)
        {
            found.append(note.recordID.recordName)
        }
        #expect(found == names.filter { $0 != "99" })
    }
}
