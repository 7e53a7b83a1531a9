import ProgramTestSupport
import Testing

@Suite("Notes: --help, at every level")
struct NoteHelpTests {
    @Test(
        "Help is printed, and no store is created",
        arguments: [
            ([], "Usage: notes [--store STORE] [--mirror URL] [COMMAND]"),
            (["interactive"], "Usage: notes interactive"),
            (["list"], "Usage: notes list"),
            (["show"], "Usage: notes show NOTE [--save-picture FILE]"),
            (["new"], "Usage: notes new [--title TITLE] [--text TEXT] [--image FILE]"),
            (["edit"], "Usage: notes edit NOTE [--title TITLE] [--text TEXT] [--image FILE] [--remove-image]"),
            (["delete"], "Usage: notes delete NOTE"),
            (["export"], "Usage: notes export DIR"),
            (["demo"], "Usage: notes demo"),
        ])
    func help(words: [String], usage: String) async throws {
        let notes = try NotesProgram()
        let outcome = try await notes.program.run(words + ["--help"], in: notes.folder)
        #expect(outcome.lines.first == usage)
        #expect(outcome.lines.allSatisfy { $0.count <= 120 })
        #expect(outcome.output.contains("--store STORE"))
        #expect(outcome.errors == "")
        #expect(outcome.status == 0)
    }
}
