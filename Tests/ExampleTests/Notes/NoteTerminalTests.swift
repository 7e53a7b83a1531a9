import Foundation
import ProgramTestSupport
import Testing

@Suite("Notes: its prompts, in a plain terminal", .timeLimit(.minutes(15)))
struct NoteTerminalTests {
    private let notes: NotesProgram

    init() throws {
        notes = try NotesProgram()
    }

    @Test("Create a note, refuse missing values, edit, delete, quit")
    func story() async throws {
        try await Terminal.running(notes.program, ["--plain", "--store", notes.store], in: notes.folder) { terminal in
            try await terminal.wait(for: "No Notes Found")
            try await terminal.type("a")
            try await terminal.wait(for: "New note")
            try await terminal.type("   ")
            try await terminal.wait(for: "A note needs a title.")
            try await terminal.type("Käse")
            try await terminal.wait(for: "Text")
            try await terminal.type("")
            try await terminal.wait(for: "A note needs a text.")
            try await terminal.type("Brot")
            try await terminal.type("")
            try await terminal.wait(for: "Picture: a file")
            try await terminal.type("/dev/null")
            try await terminal.wait(for: "/dev/null is not a file.")
            try await terminal.type(TestPicture.hills.path)
            let saved = try await terminal.wait(for: "Saved.")
            #expect(saved.contains("JPEG, 240 × 160, 2.3 kB"))
            try await terminal.type("q")
            try await terminal.wait(for: "1.  Käse  ")

            try await terminal.type("e 1")
            try await terminal.wait(for: "Title [Käse]")
            try await terminal.type("Käsebrot")
            try await terminal.wait(for: "Enter alone to keep it")
            try await terminal.type("")
            try await terminal.wait(for: "Picture [240 × 160]")
            try await terminal.type("-")
            try await terminal.wait(for: "PNG, 320 × 240")
            try await terminal.type("q")
            try await terminal.wait(for: "1.  Käsebrot  ")

            try await terminal.type("d 1")
            try await terminal.wait(for: "Käsebrot will be deleted with the next line.")
            try await terminal.type("u")
            try await terminal.wait(for: "1.  Käsebrot  ")
            try await terminal.type("d 1")
            try await terminal.wait(for: "No Notes Found")
            try await terminal.type("q")
            try await terminal.wait(for: "[ended with 0]")
        }
        #expect(try await notes.titles() == [])
    }

    @Test("While a note is edited, another device changes another field: both changes are kept")
    func mergedEdits() async throws {
        try await notes.add("Hills")
        try await Terminal.running(notes.program, ["--plain", "--store", notes.store], in: notes.folder) { terminal in
            try await terminal.wait(for: "1.  Hills")
            try await terminal.type("e 1")
            try await terminal.wait(for: "Title [Hills]")
            try await notes.rows("edit", "Hills", "--text", "By the other.")
            try await terminal.type("Hills at dawn")
            try await terminal.wait(for: "Enter alone to keep it")
            try await terminal.type("")
            try await terminal.wait(for: "Picture")
            try await terminal.type("")
            let screen = try await terminal.wait(for: "Saved.")
            #expect(screen.contains("Hills at dawn"))
            #expect(screen.contains("By the other."))
            try await terminal.type("q")
            try await terminal.type("q")
            try await terminal.wait(for: "[ended with 0]")
        }
        #expect(try await notes.titles() == ["Hills at dawn"])
    }

    @Test("While a note is edited, another device changes the same field: the person decides")
    func conflict() async throws {
        try await notes.add("Hills")
        try await Terminal.running(notes.program, ["--plain", "--store", notes.store], in: notes.folder) { terminal in
            try await terminal.wait(for: "1.  Hills")
            try await terminal.type("e 1")
            try await terminal.wait(for: "Title [Hills]")
            try await notes.rows("edit", "Hills", "--title", "Lakes")
            try await terminal.type("Hills at dawn")
            try await terminal.type("")
            try await terminal.type("")
            let screen = try await terminal.wait(for: "m keep mine, t take theirs")
            #expect(screen.contains("Another device has changed the note's title in the meantime."))
            #expect(screen.contains("\nTheirs: Lakes\nYours: Hills at dawn\n"))
            #expect(try await notes.titles() == ["Lakes"])
            try await terminal.type("m")
            try await terminal.wait(for: "Saved.")
            try await terminal.press("C-d")
            try await terminal.wait(for: "[ended with 0]")
        }
        #expect(try await notes.titles() == ["Hills at dawn"])
    }

    @Test("While a note is edited, another device deletes it: a message appears, and it leaves the list")
    func deletedElsewhere() async throws {
        try await notes.add("Hills")
        try await Terminal.running(notes.program, ["--plain", "--store", notes.store], in: notes.folder) { terminal in
            try await terminal.wait(for: "1.  Hills")
            try await terminal.type("e 1")
            try await terminal.wait(for: "Title [Hills]")
            try await notes.rows("delete", "Hills")
            try await terminal.type("Hills at dawn")
            try await terminal.type("")
            try await terminal.type("")
            try await terminal.wait(for: "We were not able to save your note.")
            let screen = try await terminal.wait(for: "Another device has deleted the note.")
            #expect(screen.contains("No Notes Found"))
            try await terminal.type("q")
            try await terminal.wait(for: "[ended with 0]")
        }
    }

    @Test("While a large picture is saved, its progress is shown")
    func progress() async throws {
        let picture = try notes.write(TestPicture.png(width: 9000, height: 9000), to: "large.png")
        let handle = try #require(FileHandle(forWritingAtPath: picture))
        try handle.truncate(atOffset: 20_000_000)
        try handle.close()
        let arguments = ["new", "--title", "Large", "--text", "Text", "--image", picture, "--store", notes.store]
        try await Terminal.running(notes.program, arguments, in: notes.folder) { terminal in
            let screen = try await terminal.wait(for: "[ended with 0]")
            #expect(screen.contains("9000 × 9000  20.0 MB"))
            #expect(try terminal.everythingShown().contains(#/Saving… [0-9]+ %/#))
        }
    }
}
