#if os(Linux)
import Testing

@Suite("CloudKit lists: a program that imports CloudKit")
struct CloudKitListsTests {
    @Test("It prints what the tutorial's program shows, and says where the records are")
    func output() async throws {
        let outcome = try await Program.built("CloudKitLists").run([], in: TemporaryFolder())
        #expect(outcome.output == (try ExpectedOutput.text("cloudkit-lists.txt")))
        #expect(outcome.errors.hasPrefix("CloudKit: records are kept in memory."))
        #expect(outcome.status == 0)
    }
}
#endif
