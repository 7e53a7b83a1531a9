import Cabinet
import Foundation
import TerminalProgram

/// A folder with all notes: a page for a browser, and their pictures.
struct Export {
    let page: URL

    /// Sentences about the omitted parts.
    private(set) var failures: [String] = []

    private let pictures: URL

    /// Writes all notes into a folder that is new or empty.
    ///
    /// If it fails, the folder is unchanged.
    static func write(
        from store: NotesStore, to folder: URL, progress: ProgressReport = { _ in }
    ) async throws -> Export {
        let files = FileManager.default
        let isNew = !files.fileExists(atPath: folder.path)
        if !isNew, (try? files.contentsOfDirectory(atPath: folder.path))?.isEmpty != true {
            throw CommandError(.failure, "\(folder.path.printable) is not an empty folder: export into a new one.")
        }
        var export = Export(folder: folder)
        do {
            try files.createDirectory(at: export.pictures, withIntermediateDirectories: true)
            try await export.write(await store.notes, of: store, progress: progress)
        } catch {
            try? files.removeItem(at: isNew ? folder : export.pictures)
            throw CommandError(
                .failure, "The notes cannot be exported to \(folder.path.printable)\n\(error.localizedDescription)")
        }
        return export
    }

    private init(folder: URL) {
        page = folder.appending(path: "index.html")
        pictures = folder.appending(path: "pictures", directoryHint: .isDirectory)
    }

    private mutating func write(_ notes: [Note], of store: NotesStore, progress: ProgressReport) async throws {
        var entries: [HTMLPage.Entry] = []
        // In small groups, so that few pictures are fetched before they are needed.
        for first in stride(from: 0, to: notes.count, by: 100) {
            let some = Array(notes[first..<min(first + 100, notes.count)])
            let fetched = try await store.pictures(of: some)
            for note in some {
                entries.append(HTMLPage.Entry(note: note, picture: await write(fetched[note.id], of: note)))
                progress(Double(entries.count) / Double(notes.count))
            }
        }
        // The page is written last: if it exists, the export is complete.
        try Data(HTMLPage(entries: entries).text.utf8).write(to: page, options: .atomic)
    }

    /// Writes a note's picture, under a name derived from its bytes: equal pictures are written once.
    private mutating func write(_ picture: Result<Picture, any Error>?, of note: Note) async -> HTMLPage.Image? {
        do {
            guard let picture = try picture?.get() else { throw MissingPicture() }
            guard let header = picture.header, let checksum = picture.asset.checksum else {
                throw UnknownPictureFormat()
            }
            let name = "\(checksum).\(header.format.fileExtension)"
            let file = pictures.appending(path: name)
            if !FileManager.default.fileExists(atPath: file.path) { try await picture.asset.write(to: file) }
            return HTMLPage.Image(path: "pictures/\(name)", header: header)
        } catch {
            failures.append("The picture of '\(note.shownTitle)' is left out: \(error.localizedDescription)")
            return nil
        }
    }
}

/// A picture of an unknown format, which is not passed to a browser.
private struct UnknownPictureFormat: LocalizedError {
    var errorDescription: String? { "It is not a JPEG or PNG file." }
}
