import Cabinet
import CabinetServer
import Foundation
import ProgramTestSupport
import TerminalProgram
import Testing

@testable import Notes

@Suite("Notes: the pages")
struct NotesSiteTests {
    private let folder: TemporaryFolder
    private let store: NotesStore
    private let visitor: SiteVisitor

    init() throws {
        folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        store = try NotesStore(.folder(url))
        visitor = SiteVisitor(handler: NotesSite(store: store, pages: SiteVisitor.pages).handler)
    }

    @Test("Notes are added, changed and deleted with forms alone")
    func forms() async throws {
        let note = try await visitor.submit("/", ["title": "Hills", "text": "We walk\r\nat dawn."])
        #expect(try await visitor.page(note).contains("We walk\nat dawn."))
        let fields: KeyValuePairs = [
            "was-title": "Hills", "was-text": "We walk\nat dawn.", "title": "Hills at dawn",
            "text": "We walk\nat dawn.",
        ]
        #expect(try await visitor.submit(note, fields) == note)
        #expect(try await visitor.page("/").contains("Hills at dawn"))
        #expect(try await visitor.page("\(note)/delete").contains("Delete Hills at dawn?"))
        #expect(try await visitor.submit(note, ["do": "delete"]) == "/")
        #expect(try await visitor.page("/").contains("No Notes Found"))
        #expect(try await visitor.submit("/", ["title": "x"], status: 400).contains("needs a text"))
    }

    @Test("Edits of different texts come together, and two of the same text are shown to the person")
    func conflict() async throws {
        let note = try await visitor.submit("/", ["title": "Hills", "text": "dawn"])
        _ = try await visitor.submit(
            note, ["was-title": "Hills", "was-text": "dawn", "title": "Hills & lakes", "text": "dawn"])
        _ = try await visitor.submit(
            note, ["was-title": "Hills", "was-text": "dawn", "title": "Hills", "text": "noon"])
        let merged = try await visitor.page(note)
        #expect(merged.contains("Hills &amp; lakes") && merged.contains("noon"))
        let page = try await visitor.submit(
            note, ["was-title": "Hills", "was-text": "dawn", "title": "Hills", "text": "six"], status: 409)
        #expect(page.contains("in the meantime") && page.contains("<blockquote dir=\"auto\">noon"))
        #expect(page.contains("name=\"was-text\" value=\"noon\"") && page.contains("six</textarea>"))
        #expect(await store.notes.first?.text == "noon")
    }

    @Test("A picture is shown as what its first bytes are, and nothing else is sent")
    func pictures() async throws {
        let token = try await visitor.token()
        func form(_ bytes: String) -> String {
            "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n\(token)\r\n--x\r\n"
                + "Content-Disposition: form-data; name=\"title\"\r\n\r\nt\r\n--x\r\n"
                + "Content-Disposition: form-data; name=\"text\"\r\n\r\nt\r\n--x\r\n"
                + "Content-Disposition: form-data; name=\"picture\"; filename=\"../<b>.png\"\r\nContent-Type: image/png\r\n\r\n"
                + "\(bytes)\r\n--x--\r\n"
        }
        for bytes in ["<svg onload=alert(1)>", "<html>", "GIF89a"] {
            let response = try await visitor.send(
                .post, "/", body: form(bytes), type: "multipart/form-data; boundary=x")
            #expect(response.status == .badRequest)
            let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
            #expect(text.contains("&#39;../&lt;b&gt;.png&#39; is not a picture"))
        }
        #expect(await store.notes.isEmpty)
        let note = try await visitor.submit("/", ["title": "t", "text": "t"])
        let address = try #require(try await visitor.page(note).firstMatch(of: #/src="([^"]+)"/#)?.1)
        let picture = try await visitor.send(.get, String(address))
        #expect(picture.headerFields[.contentType] == "image/png")
        #expect(try await picture.body.collect(upTo: 1 << 20) == Data(contentsOf: TestPicture.standard))
    }

    @Test("Other sites reach neither the pages nor their forms")
    func safety() async throws {
        try await visitor.expectSafety(form: "/")
        #expect(await store.notes.isEmpty)
    }

    @Test("No text becomes markup", arguments: SiteVisitor.hostile)
    func hostile(_ text: String) async throws {
        let note = try await visitor.submit("/", ["title": text, "text": text])
        for path in ["/", note, "\(note)/delete"] {
            let page = try await visitor.page(path)
            #expect(!page.contains("<script>") && !page.contains("<img src=x") && !page.contains("'alert"), "\(path)")
        }
    }
}
