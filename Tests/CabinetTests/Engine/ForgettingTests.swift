import Foundation
import Testing

@testable import Cabinet

@Suite("Forgetting deletions")
struct ForgettingTests {
    private func save(_ names: Range<Int>, in database: Database) async throws {
        for start in stride(from: names.lowerBound, to: names.upperBound, by: 400) {
            let items = (start..<min(start + 400, names.upperBound)).map {
                Record(recordType: "Items", recordID: RecordID(recordName: "r\($0)"))
            }
            for result in try await database.modifyRecords(saving: items, deleting: []).saveResults.values {
                _ = try result.get()
            }
        }
    }

    private func delete(_ names: Range<Int>, in database: Database) async throws {
        for start in stride(from: names.lowerBound, to: names.upperBound, by: 400) {
            let ids = (start..<min(start + 400, names.upperBound)).map { RecordID(recordName: "r\($0)") }
            for result in try await database.modifyRecords(saving: [], deleting: ids).deleteResults.values {
                try result.get()
            }
        }
    }

    @Test("A cleanup by age reads one deletion if it forgets none, however many are remembered")
    func callsOfACleanup() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "com.example.costs", backend: backend).privateDatabase
        try await save(0..<3000, in: database)
        backend.forgetVisits()
        try await delete(0..<3000, in: database)
        let visits = backend.visits
        #expect(visits.count == 8)
        #expect(visits.allSatisfy { $0.calls.count { $0 == .changes } <= 1 }, "\(visits)")
        #expect(visits.contains { $0.calls.contains(.changes) })
    }

    @Test("Of many deletions, the last ones are remembered, and at most a quarter more and those of a batch")
    func count() async throws {
        let count = 5000
        let backend = MemoryBackend()
        let database = try Container(
            identifier: "com.example.costs", backend: backend, changeRetention: ChangeRetention(count: count)
        ).publicDatabase
        try await save(0..<8000, in: database)
        try await delete(0..<8000, in: database)
        let remembered = try await backend.read(.public) {
            try await $0.changes(in: .default, after: 0, limit: .max, of: .deletions).count
        }
        #expect((count...count + count / 4 + 400).contains(remembered), "\(remembered)")
    }
}
