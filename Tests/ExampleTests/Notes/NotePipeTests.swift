import Foundation
import ProgramTestSupport
import Testing

@Suite("Notes: its screens, through pipes")
struct NotePipeTests {
    private let notes: NotesProgram

    init() throws {
        notes = try NotesProgram()
    }

    @Test("The screens work line by line, without a code that only a terminal understands")
    func story() async throws {
        let picture = TestPicture.hills.path
        let outcome = try await notes.run(
            "interactive",
            input:
                "a\n\nHills\n\nWe walk.\nAt dawn.\n\nno-such-file\n\(picture)\nq\n1\ne\nHills at dawn\n\n-\nq\nd 1\nq\n"
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(outcome.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        for line in [
            "No Notes Found", "A note needs a title.", "A note needs a text.", "At dawn.", "Saved.",
            "Hills at dawn will be deleted with the next line.",
        ] {
            #expect(outcome.lines.contains(line))
        }
        #expect(outcome.output.contains("There is no file "))
        #expect(outcome.output.contains("   JPEG, 240 × 160, 2.3 kB\n"))
        #expect(outcome.output.contains("   PNG, 320 × 240, 1.4 kB\n"))
        #expect(!outcome.output.contains("Saving"))
        #expect(try await notes.titles() == [])
    }

    @Test("Two notes created as fast as a pipe types")
    func fast() async throws {
        let outcome = try await notes.run("interactive", input: "a\nOne\nText\n\n\nq\na\nTwo\nText\n\n\nq\nq\n")
        #expect(outcome.status == 0)
        // Both are in the list without anything being fetched.
        #expect(outcome.lines.last { $0.contains("  1.  One") } != nil)
        #expect(outcome.lines.last { $0.contains("  2.  Two") } != nil)
        #expect(try await notes.titles() == ["One", "Two"])
    }

    @Test(
        "The input may end anywhere, and unfinished input is not saved",
        arguments: ["", "a\n", "a\nHills\n", "a\nHills\nWe walk.\n", "a\nHills\nWe walk.\n\n", "7\nx\ne\nd 1 2\n"])
    func endOfInput(input: String) async throws {
        let outcome = try await notes.run("interactive", input: input)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(try await notes.titles() == [])
    }

    @Test("A point cancels everywhere, and u undoes a deletion")
    func cancelling() async throws {
        try await notes.add("Hills")
        let before = try await notes.rows("list")
        let outcome = try await notes.run(
            "interactive", input: "a\n.\na\nA\n.\na\nA\nB\n\n.\ne 1\n.\nq\nd 1\nu\n1\ne\nB\n\n.\np\n.\nd\nu\nq\n")
        #expect(outcome.status == 0)
        #expect(try await notes.rows("list") == before)
    }

    @Test("A search shows the notes with its words; deletions of two of them end with the next line and the input")
    func search() async throws {
        for title in ["Hills", "Käse", "Käse and bread"] { try await notes.add(title) }
        let outcome = try await notes.run("interactive", input: "/ kase\nd 1\n1\nd\n")
        #expect(outcome.status == 0)
        #expect(outcome.lines.contains("Search: kase"))
        #expect(outcome.lines.contains("Käse and bread will be deleted with the next line."))
        #expect(try await notes.titles() == ["Hills"])
    }

    @Test("Enter keeps the values of a note")
    func keeping() async throws {
        let name = try await notes.add("Hills", text: "We\n\nwalk.", options: "--image", TestPicture.hills.path)
        let outcome = try await notes.run("interactive", input: "e 1\n\n\n\nq\nq\n")
        #expect(outcome.lines.contains("Title [Hills], or . to cancel:"))
        #expect(try await notes.rows("list").map { [$0[0], $0[2], $0[4]] } == [["Hills", "240 × 160", name]])
        #expect(try await notes.run("show", name).output.hasSuffix("We\n\nwalk.\n"))
    }

    @Test("A store that fails: the app's sentence and the reason, and the screen stays")
    func damagedStore() async throws {
        try await notes.add("Hills")
        let file = try #require(SQLiteShell.files(in: notes.store).first)
        try "This is no store.".write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try await notes.run("interactive", input: "a\nA\nB\n\n\n.\nr\nq\n")
        #expect(outcome.status == 0)
        for line in ["Error Fetching Notes", "We were not able to save your note."] {
            #expect(outcome.lines.contains(line))
        }
        // The screen of the notes is shown before the fetch, after the form and after the refresh.
        #expect(outcome.lines.count { $0 == "Notes" } == 3)
    }
}
