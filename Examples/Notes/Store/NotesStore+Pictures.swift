import Cabinet
import Foundation

extension NotesStore {
    /// Fetches the pictures of notes.
    ///
    /// Their files exist while the store is open.
    ///
    /// - Returns: For each note its picture, or the reason that it has none.
    func pictures(of notes: [Note]) async throws -> [RecordID: Result<Picture, any Error>] {
        let records = try await database.records(for: notes.map(\.id), desiredKeys: [.noteImage])
        var pictures: [RecordID: Result<Picture, any Error>] = [:]
        for note in notes {
            pictures[note.id] = Result {
                let asset: Asset? = try records[note.id]?.get()[.noteImage]
                guard let asset else { throw MissingPicture() }
                return Picture(asset, known: note.picture)
            }
        }
        return pictures
    }

    /// Writes a note's picture to a file.
    func writePicture(of note: Note, to file: URL) async throws(NotesError) {
        try await saying(.pictureNotFetched) {
            guard let picture = try await pictures(of: [note])[note.id] else { throw MissingPicture() }
            try await picture.get().asset.write(to: file)
        }
    }
}

/// A note without a picture, as other programs may create it.
struct MissingPicture: LocalizedError {
    var errorDescription: String? { "The note has no picture." }
}
