import Foundation
import ProgramTestSupport
import Testing

@Suite("Notes: its commands")
struct NoteCommandTests {
    private let notes: NotesProgram

    init() throws {
        notes = try NotesProgram()
    }

    @Test(
        "A title and a text are required, and the program says which is missing",
        arguments: [
            (["new"], "A note needs a title and a text, and both are missing.\n"),
            (["new", "--title", "Hills"], "A note needs a text, which is missing.\n"),
            (["new", "--text", "We walk."], "A note needs a title, which is missing.\n"),
            (["new", "--title", " ", "--text", "We walk."], "A note needs a title, which is missing.\n"),
            (["new", "--title", "Hills", "--text", "-"], "A note needs a text, which is missing.\n"),
            (["edit", "Lakes", "--title", "\t"], "A note needs a title, which is missing.\n"),
            (["edit", "Lakes", "--text", " \n "], "A note needs a text, which is missing.\n"),
        ])
    func missing(arguments: [String], message: String) async throws {
        try await notes.add("Lakes")
        let before = try await notes.rows("list")
        let outcome = try await notes.program.run(arguments + ["--store", notes.store], in: notes.folder)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors == message)
        #expect(try await notes.rows("list") == before)
    }

    @Test("A row has the title, the date, the picture's size, and the record name")
    func row() async throws {
        let before = Date(timeIntervalSinceReferenceDate: Date().timeIntervalSinceReferenceDate.rounded(.down))
        let row = try await notes.rows(
            "new", "--title", "Hills", "--text", "We walk.", "--image", TestPicture.hills.path)[0]
        #expect(row.count == 5)
        #expect(row[0] == "Hills")
        #expect(row[1].wholeMatch(of: #/[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z/#) != nil)
        #expect(row[2] == "240 × 160")
        #expect(row[3] == "\(try Data(contentsOf: TestPicture.hills).count)")
        // Named after the time, in whole seconds since the reference date.
        let number = String(row[4].prefix { $0 != "-" })
        let second = try #require(Double(number))
        #expect((before...Date()).contains(Date(timeIntervalSinceReferenceDate: second)))
        // A person types the number alone.
        #expect(try await notes.run("show", number).lines.first == "Hills")
    }

    @Test("Notes that are made at the same time all survive")
    func sameSecond() async throws {
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 1...6 { group.addTask { try await notes.add("Note \(number)") } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(names.count == 6)
        let rows = try await notes.rows("list")
        #expect(Set(rows.map { $0[0] }).count == 6)
        #expect(Set(rows.map { $0[4] }) == names)
    }

    @Test("A text may come from the input, and have lines")
    func textFromInput() async throws {
        try await notes.rows("new", "--title", "Hills", "--text", "-", input: "We walk.\n\nAt dawn.\n")
        let shown = try await notes.run("show", "Hills")
        #expect(shown.output.hasSuffix("\n\nWe walk.\n\nAt dawn.\n"))
    }

    @Test("Showing a note, and writing its picture to a file")
    func show() async throws {
        try await notes.add("Hills", text: "We walk.", options: "--image", TestPicture.hills.path)
        let file = notes.folder.path("copy.jpg")
        let outcome = try await notes.run("show", "Hills", "--save-picture", file)
        #expect(outcome.lines.first == "Hills")
        #expect(outcome.output.contains("   JPEG, 240 × 160, 2.3 kB\n"))
        #expect(try Data(contentsOf: URL(filePath: file)) == Data(contentsOf: TestPicture.hills))
    }

    @Test("A file that is not a picture is refused, and nothing is saved")
    func noPicture() async throws {
        let text = try notes.folder.write("No picture.", to: "a.jpg")
        let empty = try notes.folder.write("", to: "b.png")
        let cut = try notes.write(Array(TestPicture.png(width: 1, height: 1).prefix(20)), to: "c.png")
        for (path, message) in [
            (text, "\(text) is not a picture: it must be a JPEG or PNG file.\n"),
            (empty, "\(empty) is not a picture: it must be a JPEG or PNG file.\n"),
            (cut, "\(cut) is damaged: it begins as a PNG file, but lacks the size of the picture.\n"),
            (notes.folder.url.path, "\(notes.folder.url.path) is not a file.\n"),
            (notes.folder.path("missing"), "There is no file \(notes.folder.path("missing")).\n"),
        ] {
            let outcome = try await notes.run("new", "--title", "Hills", "--text", "We walk.", "--image", path)
            #expect(outcome.status == 1)
            #expect(outcome.output == "")
            #expect(outcome.errors == message)
        }
        #expect(try await notes.titles() == [])
    }

    @Test("A note that does not exist, and a title that several notes have")
    func naming() async throws {
        let missing = try await notes.run("show", "Hills")
        #expect(missing.status == 3)
        #expect(missing.errors == "There is no note 'Hills'.\n")

        let first = try await notes.add("Hills", text: "One")
        let second = try await notes.add("Hills", text: "Two")
        let outcome = try await notes.run("delete", "Hills")
        #expect(outcome.status == 4)
        #expect(outcome.errors.contains(first))
        #expect(outcome.errors.contains(second))
        try await notes.rows("delete", first)
        #expect(try await notes.run("show", "Hills").lines.last == "Two")
    }

    @Test(
        "Wrong arguments are refused",
        arguments: [
            ["note"], ["new", "Hills"], ["show"], ["edit"], ["edit", "A"], ["edit", "A", "--title"], ["delete"],
            ["edit", "A", "--image", "a.png", "--remove-image"], ["new", "--remove-image"], ["export"],
            ["edit", "A", "--remove-image=yes"], ["list", "--plain", "--plain"], ["list", "--title", "A"],
            ["list", "--mirror"], ["list", "--mirror", "folder"], ["demo", "A"], ["--help", "note"],
        ])
    func usage(arguments: [String]) async throws {
        let outcome = try await notes.program.run(arguments, in: notes.folder)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(!outcome.errors.isEmpty)
    }

    @Test("Text that would move the cursor or break a row is shown, not obeyed")
    func controlCharacters() async throws {
        let title = "one\ttwo\nthree\u{1B}[2J"
        try await notes.add(title, text: "\u{1B}[2J")
        #expect(try await notes.titles() == [#"one\ttwo\nthree\u{1B}[2J"#])
        #expect(try await notes.run("show", title).lines.last == #"\u{1B}[2J"#)
    }

    @Test("Without --store, the store is in the user's folder for data; reading creates no files")
    func defaultFolder() async throws {
        let looked = try await notes.program.run(["list"], in: notes.folder)
        #expect(looked.errors == "No Notes Found\n")
        #expect(!FileManager.default.fileExists(atPath: notes.folder.path("data/notes")))
        let added = try await notes.program.run(["new", "--title", "A", "--text", "B"], in: notes.folder)
        #expect(added.status == 0)
        #if !os(macOS)
        let found = try await notes.program.run(["--store", notes.folder.path("data/notes")], in: notes.folder)
        #expect(found.output == added.output)
        #endif
    }

    @Test("The program can be moved: the default picture is in it")
    func moved() async throws {
        let copy = notes.folder.url.appending(path: "elsewhere")
        // A program that is started by another test would inherit the open copy, which cannot be run until then.
        let copying = try await Program(executable: URL(fileURLWithPath: "/bin/cp")).run(
            [notes.program.executable.path, copy.path], in: notes.folder)
        #expect(copying.status == 0)
        let outcome = try await Program(executable: copy).run(
            ["new", "--title", "A", "--text", "B", "--store", notes.store], in: notes.folder)
        #expect(outcome.output.contains("\t320 × 240\t"))
    }

    @Test("A store that cannot be opened: the app's sentence, then the reason")
    func damagedStore() async throws {
        try await notes.add("Hills")
        let file = try #require(SQLiteShell.files(in: notes.store).first)
        try "This is no store.".write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try await notes.run("list")
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("Error Fetching Notes\n"))
        #expect(outcome.errors.contains(file))
    }
}
