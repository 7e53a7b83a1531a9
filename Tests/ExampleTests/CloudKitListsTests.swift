#if os(Linux)
import Foundation
import ProgramTestSupport
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

    @Test("CABINET_STORE keeps its records in a folder")
    func store() async throws {
        let folder = try TemporaryFolder()
        let program = try Program.built("CloudKitLists").executable.path
        for run in 1...2 {
            let outcome = try await Program.installed("env").run(
                ["CABINET_STORE=\(folder.path("store"))", program], in: folder)
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
            // The second run finds the list that the first one has not deleted.
            #expect(outcome.output.hasPrefix(run == 1 ? "No Records Found" : "Books\n"))
        }
    }
}
#endif
