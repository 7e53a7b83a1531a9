import ProgramTestSupport
import Testing

@Suite("Shopping list: --help, at every level")
struct HelpTests {
    @Test(
        "Help is printed, and no store is created",
        arguments: [
            ([], "Usage: shopping-list [--store STORE] [--mirror URL] [COMMAND]"),
            (["lists"], "Usage: shopping-list lists …"),
            (["lists", "add"], "Usage: shopping-list lists add NAME"),
            (["lists", "share"], "Usage: shopping-list lists share LIST USER [--read-only]"),
            (["items"], "Usage: shopping-list items …"),
            (["items", "add"], "Usage: shopping-list items add LIST [NAME] [--number N] [--from-file FILE]"),
            (["items", "watch"], "Usage: shopping-list items watch LIST"),
            (["demo"], "Usage: shopping-list demo"),
            (["interactive"], "Usage: shopping-list interactive"),
        ])
    func help(words: [String], usage: String) async throws {
        let shopping = try ShoppingList()
        for option in ["--help", "-h"] {
            let outcome = try await shopping.program.run(words + [option], in: shopping.folder)
            #expect(outcome.lines.first == usage)
            #expect(outcome.lines.allSatisfy { $0.count <= 120 })
            #expect(outcome.errors == "")
            #expect(outcome.status == 0)
        }
    }

    @Test("The program's help names all commands, and the meanings of the exit codes")
    func program() async throws {
        let shopping = try ShoppingList()
        let text = try await shopping.program.run(["--help"], in: shopping.folder).output
        for command in [
            "lists add", "lists rename", "lists delete", "lists share", "lists users", "lists join", "lists leave",
            "user",
            "items add", "items rename", "items number", "items delete",
            "demo",
            "interactive", "--store STORE", "Exit codes:",
        ] {
            #expect(text.contains(command), "\(command)")
        }
    }
}
