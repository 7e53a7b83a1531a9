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

    @Test("A store that cannot be written ends the program with the message of its screen, also into a pipe")
    func refusedStore() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.write("a file", to: "store")
        let program = try Program.built("CloudKitLists").executable.path
        let script = "(CABINET_STORE='\(store)' '\(program)'; echo $?) | cat"
        let outcome = try await Program.installed("sh").run(["-c", script], in: folder)
        #expect(outcome.lines.last == "1", "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("We were not able to save your list."))
        #expect(!outcome.errors.contains("Fatal error"), "\(outcome.errors)")
    }
}
#endif
