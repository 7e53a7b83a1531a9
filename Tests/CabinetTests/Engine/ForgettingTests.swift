import Foundation
import Testing

@testable import Cabinet

@Suite("Forgetting deletions")
struct ForgettingTests {
    /// Saves records and deletes them again, in batches of 400.
    ///
    /// - Parameter willDelete: Called between the saves and the deletions.
    private func saveAndDelete(_ count: Int, in database: Database, willDelete: () -> Void = {}) async throws {
        let ids = (0..<count).map { RecordID(recordName: "r\($0)") }
        let batches = stride(from: 0, to: count, by: 400).map { ids[$0..<min($0 + 400, count)] }
        for batch in batches {
            let items = batch.map { Record(recordType: "Items", recordID: $0) }
            for result in try await database.modifyRecords(saving: items, deleting: []).saveResults.values {
                _ = try result.get()
            }
        }
        willDelete()
        for batch in batches {
            for result in try await database.modifyRecords(saving: [], deleting: Array(batch)).deleteResults.values {
                try result.get()
            }
        }
    }

    @Test("A cleanup by age reads one deletion if it forgets none, however many are remembered")
    func callsOfACleanup() async throws {
        let backend = CountingBackend()
        let database = try Container(identifier: "com.example.costs", backend: backend).privateDatabase
        try await saveAndDelete(3000, in: database) { backend.forgetVisits() }
        // Each batch is a write, and three of them are followed by a cleanup. The first one also reads the age of the store.
        let cleanups = backend.visits.filter { $0.calls.contains(.changes) }
        #expect(backend.visits.count == 8 + cleanups.count)
        #expect(cleanups.map { $0.calls.count { $0 == .changes } } == [2, 1, 1])
    }

    @Test(
        "A cleanup by count keeps as many deletions as the count, once for each quarter of it, and reads them in pages")
    func count() async throws {
        let backend = CountingBackend()
        let database = try Container(
            identifier: "com.example.costs", backend: backend, changeRetention: ChangeRetention(count: 5000)
        ).publicDatabase
        try await saveAndDelete(8000, in: database) { backend.forgetVisits() }
        #expect(backend.visits.allSatisfy { $0.calls.count { $0 == .changes } <= 20 }, "\(backend.visits)")
        // The last number that is a multiple of 1250 is 15,000. Its batch ends with 15,200, and 800 deletions follow.
        let remembered = try await backend.read(.public) {
            try await $0.changes(in: .default, after: 0, limit: .max, of: .deletions).count
        }
        #expect(remembered == 5800)
    }
}
