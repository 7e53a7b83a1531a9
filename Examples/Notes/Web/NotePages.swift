import Cabinet
import CabinetServer
import ExampleSupport
import Foundation

/// The page of all notes, with a form that adds one.
struct NotesPage {
    let notes: [Note]
    let pages: PageGuard

    var response: HTTPResponse {
        get throws { try Site.page("Notes", main, events: "/events").response() }
    }

    private var main: HTML {
        let cards = notes.map { note -> HTML in
            """
            <li><a href="\(note.address)">\(note.pictureHTML)<span dir="auto">\(note.shownTitle)</span>\
            <small>\(note.shownDate)</small></a></li>

            """
        }
        return """
            <h1>Notes</h1>
            \(cards.isEmpty ? "<p class=\"empty\">\(Sentence.noNotes.rawValue)</p>" as HTML : "<ul class=\"notes\">\(cards)</ul>")
            <details\(cards.isEmpty ? " open" : nil as HTML?)><summary>New note</summary>
            \(EditingForm(address: "/", button: "Add", pages: pages).html)</details>
            """
    }
}

/// The page of a note, with a form that changes it.
struct NotePage {
    let note: Note
    /// The person's edit, if another device has changed the same text.
    var edit: NoteEdit?
    let pages: PageGuard

    var response: HTTPResponse { get throws { try response(.ok) } }

    func response(_ status: HTTPResponse.Status) throws -> HTTPResponse {
        try Site.page(note.shownTitle, main, events: edit == nil ? "/events" : nil).response(status)
    }

    private var main: HTML {
        let conflicts = (edit?.conflicts ?? []).map { text -> HTML in
            """
            <p class="failure" role="alert">Another device has changed the note's \(text.name) in the meantime. Now it is:</p>
            <blockquote dir="auto">\(text.now)</blockquote>
            """
        }
        var form = EditingForm(address: note.address, button: edit == nil ? "Save" : "Save mine", pages: pages)
        (form.title, form.text) = (note.title, note.text)
        form.typed = edit.map { ($0.title.merged, $0.text.merged) }
        let article: HTML = """
            <article><h1 dir="auto">\(note.shownTitle)</h1><p><small>\(note.shownDate)</small></p>\(note.pictureHTML)
            <p class="text" dir="auto">\(note.text)</p></article>
            """
        return """
            <p><a href="/">All notes</a></p>
            \(conflicts)\(edit == nil ? article : nil)
            <details\(edit == nil ? nil : " open" as HTML?)><summary>Edit</summary>\(form.html)</details>
            <p><a href="\(note.address)/delete">Delete this note…</a></p>
            """
    }
}

/// The question before a note is deleted.
struct DeletionPage {
    let note: Note
    let pages: PageGuard

    var response: HTTPResponse {
        get throws { try Site.page("Delete \(note.shownTitle)", main).response() }
    }

    private var main: HTML {
        """
        <h1 dir="auto">Delete \(note.shownTitle)?</h1>
        <form method="post" action="\(note.address)">\(pages.formField)
        <button name="do" value="delete">Delete</button> <a href="\(note.address)">Keep it</a></form>
        """
    }
}

extension Note {
    /// The address of the note's page.
    var address: String {
        "/notes/\(id.recordName.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? id.recordName)"
    }

    /// The picture, or an empty area.
    fileprivate var pictureHTML: HTML {
        guard let picture, let header = picture.header, let checksum = picture.asset.checksum else {
            return "<span class=\"picture\"></span>"
        }
        return """
            <img class="picture" src="\(address)/picture?\("\(checksum)")" width="\(header.width)" height="\(header.height)" alt="" loading="lazy">
            """
    }
}
