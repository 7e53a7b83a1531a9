import Cabinet
import CabinetTesting
import Foundation
import Testing

@Suite("A clock for tests")
struct TestClockTests {
    @Test("It stands still until it is advanced, and gives records their dates")
    func dates() async throws {
        let clock = TestClock(Date(timeIntervalSinceReferenceDate: 1000))
        let container = try Container(identifier: "com.example.notes", backend: MemoryBackend(), now: clock.now)
        let note = try await container.privateDatabase.save(Record(recordType: "Notes"))
        #expect(note.creationDate == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(clock.now() == note.creationDate)
        #expect(clock.advance(by: 60) == Date(timeIntervalSinceReferenceDate: 1060))
        let changed = try await container.privateDatabase.update(note.recordID) { $0["text"] = "Milk" }
        #expect(changed.modificationDate == Date(timeIntervalSinceReferenceDate: 1060))
        #expect(clock.advance() == Date(timeIntervalSinceReferenceDate: 1061))
    }
}
