import Cabinet
import Foundation
import TerminalProgram

/// The tutorial's story, from the first note to the day that the app is opened again.
struct Demo {
    let location: StoreLocation
    /// The folder for the demo's own files.
    let folder: URL
    let console: Console

    /// Plays the story, and narrates it.
    func play() async throws {
        let clock = DemoClock()
        var store = try NotesStore(location, now: clock.now)
        console.write("THE NOTES")

        narrate("The app starts, and fetches every note.")
        try await store.fetch()
        guard await store.notes.isEmpty else {
            throw CommandError.usage("The demo needs an empty store, but \(location) has notes.")
        }
        show(Sentence.noNotes.rawValue)

        narrate("A note needs a title and a text.")
        var draft = Draft()
        draft.title = "Packing list"
        show(draft.missing ?? "")

        narrate("A note without a picture gets the default one. Nothing was declared: the first save makes 'Notes'.")
        draft.text = "Tent\nStove\nMap"
        let packing = try await store.add(draft)
        await showNotes(in: store)

        narrate("A note with a picture is made in the same second. Both are named after the time, and both survive.")
        let photo = folder.appending(path: "hills.jpg")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: photo) }
        try Data(PackageResources.hills_jpg).write(to: photo)
        let hills = try await store.add(.demo("Hills", "We walk at dawn.", picture: .file(photo)))
        await showNotes(in: store)

        narrate("A minute later, the second note is edited: the same record, a new edited date.")
        clock.advance(by: 60)
        let edited = try await store.change(
            hills, to: .demo("Hills at dawn", hills.text, picture: .unchanged))
        show("The same record: \(edited.id == hills.id)")
        await showNotes(in: store)

        narrate("The first note gets the picture, too. The store keeps the same bytes once.")
        clock.advance(by: 60)
        let illustrated = try await store.change(
            packing, to: .demo(packing.title, packing.text, picture: .file(photo)))
        show("The same picture: \(illustrated.picture?.asset == edited.picture?.asset)")
        await showNotes(in: store)

        narrate("The picture of the second note is removed, which puts the default one back.")
        clock.advance(by: 60)
        _ = try await store.change(
            edited, to: .demo(edited.title, edited.text, picture: .standard))
        await showNotes(in: store)

        narrate("The notes are exported, with a page for a browser.")
        let export = try await Export.write(from: store, to: folder.appending(path: "export"))
        try FileManager.default.subpathsOfDirectory(atPath: export.page.deletingLastPathComponent().path).sorted()
            .filter { $0.contains(".") }.forEach(show)

        narrate("The app is started on another device, which shows all notes, and a moment later that one is deleted.")
        let other = try NotesStore(location, now: clock.now)
        try await other.fetch()
        await showNotes(in: other)
        try await store.delete(illustrated)
        try await other.fetch()
        await showNotes(in: other)
        await other.close()

        narrate("The app is closed and started again. Everything is still there.")
        await store.close()
        store = try NotesStore(location, now: clock.now)
        try await store.fetch()
        await showNotes(in: store)
        await store.close()
    }

    private func narrate(_ sentence: String) {
        console.write()
        console.write(sentence)
    }

    private func show(_ line: String) {
        console.write("    " + line)
    }

    private func showNotes(in store: NotesStore) async {
        await store.notes.map { [$0.shownTitle, $0.shownDate, $0.shownPicture] }.aligned().forEach(show)
    }
}

extension Draft {
    fileprivate static func demo(_ title: String, _ text: String, picture: PictureChoice) -> Draft {
        var draft = Draft()
        (draft.title, draft.text, draft.picture) = (title, text, picture)
        return draft
    }
}
