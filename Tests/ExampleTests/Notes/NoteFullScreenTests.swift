import Foundation
import ProgramTestSupport
import Testing

@Suite("Notes: its full screen", .timeLimit(.minutes(15)))
struct NoteFullScreenTests {
    private let notes: NotesProgram

    init() throws {
        notes = try NotesProgram()
    }

    private func running(_ test: (Terminal) async throws -> Void) async throws {
        try await Terminal.running(
            notes.program, ["--store", notes.store], in: notes.folder, columns: 80, rows: 24, test)
    }

    /// Runs a command as another device does.
    private func other(_ arguments: String...) async throws {
        let outcome = try await notes.program.run(arguments + ["--store", notes.store], in: notes.folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("Create a note with a picture, edit it, write the picture to a file, delete it, undo that")
    func story() async throws {
        try await running { terminal in
            try await terminal.wait(for: "No Notes Found")
            try await terminal.press("a")
            try await terminal.wait(for: "New note")
            try await terminal.write("Käse")
            try await terminal.press("C-s")
            try await terminal.wait(for: "A note needs a text, which is missing.")
            try await terminal.press("Tab")
            try await terminal.type("Brot")
            try await terminal.write("Butter")
            try await terminal.press("Tab")
            try await terminal.write("/dev/null")
            try await terminal.press("C-s")
            try await terminal.wait(for: "/dev/null is not a file.")
            try await terminal.press("C-u")
            try await terminal.write(TestPicture.hills.path)
            try await terminal.press("Enter")
            let saved = try await terminal.wait(for: "Saved.")
            #expect(saved.contains("JPEG, 240 × 160, 2.3 kB\n\nBrot\nButter\n"))
            try await terminal.press("p")
            try await terminal.wait(for: "Write the picture")
            let copy = notes.folder.path("copy.jpg")
            try await terminal.paste(copy)
            try await terminal.press("Enter")
            try await terminal.wait(for: "The picture is in")
            #expect(try Data(contentsOf: URL(filePath: copy)) == Data(contentsOf: TestPicture.hills))

            try await terminal.press("e", "Tab", "Tab")
            try await terminal.write("-")
            try await terminal.press("Enter")
            try await terminal.wait(for: "PNG, 320 × 240")
            try await terminal.press("Escape")
            try await terminal.wait(until: "the row") {
                $0.rows.contains { $0.first == "Käse" && $0.contains("320 × 240") }
            }

            try await terminal.press("e")
            try await terminal.write("x")
            try await terminal.press("Escape")
            try await terminal.wait(for: "Discard what you typed?")
            try await terminal.press("y")
            try await terminal.wait(for: "e edit   p write")
            try await terminal.press("d")
            try await terminal.wait(for: "Käse will be deleted with the next key.")
            try await terminal.press("u")
            try await terminal.wait(forRow: "Käse")
            #expect(try await notes.titles() == ["Käse"])
            try await terminal.press("d")
            try await terminal.wait(for: "No Notes Found")
            try await terminal.press("q")
            try await terminal.wait(for: "[ended with 0]")
            let shown = try terminal.everythingShown()
            for progress in ["Fetching…", "Saving…", "Deleting…"] { #expect(shown.contains(progress)) }
        }
        #expect(try await notes.titles() == [])
    }

    @Test("Another device's changes of notes are shown at once, in the list and on the notes' screens")
    func live() async throws {
        try await running { terminal in
            try await terminal.wait(for: "No Notes Found")
            try await other("new", "--title", "Hills", "--text", "We walk.")
            try await terminal.wait(forRow: "Hills")
            try await terminal.press("Enter")
            try await terminal.wait(for: "We walk.")
            try await other("edit", "Hills", "--text", "We ran.")
            try await terminal.wait(for: "We ran.")
            try await other("delete", "Hills")
            try await terminal.wait(for: "'Hills' was deleted elsewhere.")
            try await terminal.wait(for: "No Notes Found")
        }
    }

    @Test("A search finds words of titles and texts; Escape on the first screen ends it, and then does nothing")
    func search() async throws {
        for (title, text) in [("Hills", "We walk."), ("Lakes", "We swim."), ("Town", "They walked.")] {
            try await notes.add(title, text: text)
        }
        try await running { terminal in
            try await terminal.wait(for: "1 of 3")
            try await terminal.press("/")
            try await terminal.write("WALK")
            let found = try await terminal.wait(for: "1 of 2")
            #expect(found.contains("Hills") && found.contains("Town"))
            try await terminal.press("Enter", "Escape")
            try await terminal.wait(for: "1 of 3")
            try await terminal.press("Escape", "End")
            try await terminal.wait(for: "3 of 3")
        }
    }

    @Test("Different fields are merged; of the same field, the person sees both values and chooses")
    func conflict() async throws {
        try await notes.add("Hills")
        try await running { terminal in
            try await terminal.wait(forRow: "Hills")
            try await terminal.press("e")
            try await terminal.write(" at dawn")
            try await other("edit", "Hills", "--text", "By the other.")
            try await terminal.wait(for: "Another device has changed the note in the meantime.")
            try await terminal.press("C-s")
            let merged = try await terminal.wait(for: "Saved.")
            #expect(merged.contains("Hills at dawn") && merged.contains("By the other."))

            try await terminal.press("e")
            try await terminal.write("!")
            try await other("edit", "Hills at dawn", "--title", "Lakes")
            try await terminal.press("C-s")
            let screen = try await terminal.wait(for: "m keep mine")
            #expect(screen.contains("\nTheirs: Lakes\nYours: Hills at dawn!\n"))
            try await terminal.press("t")
            try await terminal.wait(for: "Saved.")
        }
        #expect(try await notes.titles() == ["Lakes"])
    }

    @Test("A note that another device deletes closes its form, with a message")
    func deletedElsewhere() async throws {
        try await notes.add("Hills")
        try await running { terminal in
            try await terminal.wait(forRow: "Hills")
            try await terminal.press("e")
            try await terminal.write("!")
            try await terminal.wait(forRow: "Title", "Hills!")
            try await other("delete", "Hills")
            let screen = try await terminal.wait(for: "Another device has deleted the note. Nothing was saved.")
            #expect(screen.contains("No Notes Found"))
        }
    }
}
