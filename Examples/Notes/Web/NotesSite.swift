import Cabinet
import CabinetServer
import ExampleSupport
import Foundation

/// The notes in a browser: a function from requests to pages.
///
/// Every page is read with `GET` and changed with a form, so that it works without JavaScript. With it, a page also shows the changes
/// of other browsers and devices as they happen.
struct NotesSite: Sendable {
    let store: NotesStore
    private let site: Site
    private var pages: PageGuard { site.pages }
    private let events = PageEvents()

    /// The number of bytes of the largest picture that is accepted.
    private static let largestPicture: Int64 = 32 << 20

    init(store: NotesStore, pages: PageGuard) {
        self.store = store
        site = Site(pages, style: PageStyle.text, icon: PageStyle.icon)
    }

    /// Answers requests: with a page, or with the reason that there is none.
    var handler: HTTPHandler {
        { request in
            try await site.answer(request, home: "All notes") { path in
                do {
                    return try await answer(request, path)
                } catch let error as NotesError {
                    throw HTTPError(.badRequest, "\(error)")
                }
            }
        }
    }

    private func answer(_ request: HTTPRequest, _ path: [String]) async throws -> HTTPResponse {
        switch (request.method, path.first, path.count) {
        case (.get, nil, _): return try NotesPage(notes: await notes(), pages: pages).response
        case (.get, "events", 1): return try events.response(changes)
        case (.get, "notes", 2): return try NotePage(note: await note(path[1]), pages: pages).response
        case (.get, "notes", 3) where path[2] == "delete":
            return try DeletionPage(note: await note(path[1]), pages: pages).response
        case (.get, "notes", 3) where path[2] == "picture": return try await picture(of: note(path[1]))
        case (.post, _, _):
            let form = try await HTTPForm(request, filesUpTo: Self.largestPicture)
            try pages.check(form)
            return try await change(path, form)
        default: throw HTTPError(.notFound, "Nothing has this address.")
        }
    }

    /// The notes as the store has them now, the newest first.
    private func notes() async throws -> [Note] {
        try await store.fetch()
        return await store.notes.reversed()
    }

    private func note(_ name: String) async throws -> Note {
        guard let note = try await notes().first(where: { $0.id.recordName == name }) else {
            throw HTTPError(.notFound, "The note does not exist. It may have been deleted.")
        }
        return note
    }

    /// The changes of all notes.
    ///
    /// The stream ends if the store cannot be watched, and the browser begins another one.
    private var changes: AsyncStream<Void> {
        AsyncStream { changes in
            let watching = Task {
                try? await store.watch { _ in changes.yield() }
                changes.finish()
            }
            changes.onTermination = { _ in watching.cancel() }
        }
    }
}

extension NotesSite {
    /// Adds, changes or deletes a note as a form says.
    private func change(_ path: [String], _ form: HTTPForm) async throws -> HTTPResponse {
        if path.isEmpty {
            let draft = try Draft(form)
            if let missing = draft.missing { throw HTTPError(.badRequest, missing) }
            return try .redirect(to: await store.add(draft).address)
        }
        guard path.first == "notes", path.count == 2 else { throw HTTPError(.notFound, "Nothing has this address.") }
        let note = try await note(path[1])
        if form["do"] == "delete" {
            try await store.delete(note)
            return try .redirect(to: "/")
        }
        let edit = NoteEdit(note, form)
        if !edit.conflicts.isEmpty { return try NotePage(note: note, edit: edit, pages: pages).response(.conflict) }
        let draft = try edit.draft
        if let missing = draft.missing { throw HTTPError(.badRequest, missing) }
        return try .redirect(to: await store.change(note, to: draft).address)
    }

    /// The bytes of a note's picture.
    ///
    /// A browser gets only what begins as a picture of a known format, under that format's name.
    private func picture(of note: Note) async throws -> HTTPResponse {
        guard let picture = try await store.pictures(of: [note])[note.id]?.get(), let header = picture.header else {
            throw HTTPError(.notFound, "The note has no picture.")
        }
        var response = try HTTPResponse(
            contentType: header.format == .png ? "image/png" : "image/jpeg",
            body: HTTPBody(try await picture.asset.data()))
        // The address contains the checksum, so another picture has another address.
        try response.headerFields.set(.cacheControl, to: "private, max-age=86400")
        return response
    }
}
