import Foundation
import ProgramTestSupport
import Testing

@Suite("Notes: the tutorial's story, from the shell")
struct NoteStoryTests {
    private let notes: NotesProgram

    init() throws {
        notes = try NotesProgram()
    }

    @Test("Create with and without a picture, edit, replace and remove the picture, delete")
    func story() async throws {
        let start = try await notes.run()
        #expect(start.output == "")
        #expect(start.errors == "No Notes Found\n")
        #expect(start.status == 0)

        let packing = try await notes.add("Packing list", text: "Tent\nStove")
        let hills = try await notes.add("Hills", options: "--image", TestPicture.hills.path)
        #expect(
            try await notes.rows().map { [$0[0], $0[2]] } == [["Packing list", "320 × 240"], ["Hills", "240 × 160"]])

        // The same record, at the same position.
        #expect(try await notes.rows("edit", "Hills", "--title", "Hills at dawn")[0][4] == hills)
        try await notes.rows("edit", "Packing list", "--image", TestPicture.hills.path)
        #expect(
            try await notes.rows().map { [$0[0], $0[2], $0[4]] } == [
                ["Packing list", "240 × 160", packing], ["Hills at dawn", "240 × 160", hills],
            ])
        #expect(try await notes.run("show", packing).output.hasSuffix("\nTent\nStove\n"))

        try await notes.rows("edit", hills, "--remove-image")
        #expect(try await notes.rows().map { $0[2] } == ["240 × 160", "320 × 240"])

        #expect(try await notes.rows("delete", "Packing list")[0][4] == packing)
        #expect(try await notes.titles() == ["Hills at dawn"])
        try await notes.rows("delete", hills)
        #expect(try await notes.run().errors == "No Notes Found\n")
    }

    @Test("The demo narrates the whole story, the same every time")
    func demo() async throws {
        let expected = try ExpectedOutput.text("notes-demo.txt")
        let inTemporaryFolder = try await notes.program.run(["demo"], in: notes.folder)
        #expect(inTemporaryFolder.output == expected)
        #expect(inTemporaryFolder.errors == "")
        #expect(inTemporaryFolder.status == 0)

        let inStore = try await notes.run("demo")
        #expect(inStore.output == expected)
        #expect(try await notes.titles() == ["Hills at dawn"])

        let again = try await notes.run("demo")
        #expect(again.status == 2)
        #expect(again.errors.contains(notes.store))
        #expect(try await notes.titles() == ["Hills at dawn"])
    }
}
