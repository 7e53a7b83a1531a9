import Cabinet
import CabinetSQLite
import Foundation
import ProgramTestSupport
import Testing

@testable import Notes

@Suite("Notes: the export")
struct NoteExportTests {
    private let notes: NotesProgram

    init() throws {
        notes = try NotesProgram()
    }

    private var folder: String { notes.folder.path("export") }

    private func html() throws -> String {
        try String(contentsOfFile: folder + "/index.html", encoding: .utf8)
    }

    @Test("A page with all notes, and each picture once")
    func page() async throws {
        try await notes.add("Packing list", text: "Tent\nStove")
        try await notes.add("Hills", options: "--image", TestPicture.hills.path)
        try await notes.add("Lakes")
        #expect(try await notes.run("export", folder).output == folder + "/index.html\n")

        let page = try html()
        for title in ["Packing list", "Hills", "Lakes"] { #expect(page.contains("<h2 dir=\"auto\">\(title)</h2>")) }
        #expect(page.contains("Tent\nStove"))
        let images = page.matches(of: #/<img src="(pictures/[0-9a-f]{64}\.(?:jpg|png))" width="(\d+)" height="(\d+)"/#)
        #expect(images.map { "\($0.2) × \($0.3)" } == ["320 × 240", "240 × 160", "320 × 240"])
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/pictures")
        #expect(Set(files.map { "pictures/" + $0 }) == Set(images.map { String($0.1) }))
        #expect(files.count == 2)
        let photo = try Data(contentsOf: URL(filePath: "\(folder)/\(images[1].1)"))
        #expect(photo == (try Data(contentsOf: TestPicture.hills)))
    }

    @Test("The content of a note is text, and never becomes markup")
    func escaping() async throws {
        let hostile =
            #"</h2><script>alert('1')</script><img src=x onerror="alert(2)">&amp;"#
            + "\u{1B}x"
        try await notes.add(hostile, text: hostile)
        try await notes.rows("export", folder)
        let page = try html()
        #expect(!page.contains("<script"))
        #expect(!page.contains("<img src=x"))
        let escaped =
            "&lt;/h2&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&lt;img src=x onerror=&quot;alert(2)&quot;&gt;&amp;amp;\u{FFFD}x"
        #expect(page.components(separatedBy: escaped).count == 3)
    }

    @Test("An export without notes is a page that says so; an empty folder is accepted")
    func empty() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await notes.rows("export", folder)
        #expect(try html().contains("No Notes Found"))
    }

    @Test("A folder with something in it is left alone")
    func occupied() async throws {
        try await notes.add("Hills")
        try await notes.rows("export", folder)
        let before = try html()
        let again = try await notes.run("export", folder)
        #expect(again.status == 1)
        #expect(again.errors.contains("is not an empty folder"))
        #expect(try html() == before)
        let file = try notes.folder.write("a file", to: "file")
        #expect(try await notes.run("export", file).status == 1)
    }

    @Test("A record name is not a path: a picture cannot be written elsewhere")
    func recordNames() async throws {
        try await notes.add("Hills")
        let backend = SQLiteBackend(directory: URL(filePath: notes.store))
        let container = try Container(identifier: "com.example.notes", backend: backend)
        var record = Record(recordType: "Notes", recordID: RecordID(recordName: "../../outside"))
        record["noteTitle"] = "Outside"
        record["noteImage"] = Asset(fileURL: TestPicture.hills)
        try await container.privateDatabase.save(record)
        await container.close()
        try await notes.rows("export", folder)
        #expect(try html().contains("Outside"))
        #expect(!(try FileManager.default.contentsOfDirectory(atPath: notes.folder.url.path).contains("outside")))
    }

    @Test("A picture of an unknown kind is left out and reported; the rest is exported")
    func strangePicture() async throws {
        try await notes.add("Hills")
        let backend = SQLiteBackend(directory: URL(filePath: notes.store))
        let container = try Container(identifier: "com.example.notes", backend: backend)
        var record = Record(recordType: "Notes", recordID: RecordID(recordName: "strange"))
        record["noteTitle"] = "Strange"
        record["noteImage"] = Asset(data: Data("<svg onload='alert(1)'/>".utf8))
        try await container.privateDatabase.save(record)
        await container.close()
        let outcome = try await notes.run("export", folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "The picture of 'Strange' is left out: It is not a JPEG or PNG file.\n")
        #expect(try html().contains("Strange"))
        #expect(try html().contains("Hills"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/pictures").count == 1)
    }
}
