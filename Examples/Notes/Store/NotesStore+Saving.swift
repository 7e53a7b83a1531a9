import Cabinet
import Foundation

/// Is told how much of a picture was saved, from 0 to 1.
typealias ProgressReport = @Sendable (Double) -> Void

extension NotesStore {
    /// Saves a new note, which is named after the time, in whole seconds.
    ///
    /// A name that is taken belongs to a note of the same second: the new note takes the next free one.
    func add(_ draft: Draft, progress: @escaping ProgressReport) async throws(NotesError) -> Note {
        try await saying(.noteNotSaved) {
            let date = now()
            var second = Int64(date.timeIntervalSinceReferenceDate.rounded(.down))
            while true {
                let id = RecordID(recordName: "\(second)")
                second += 1
                if note(id) != nil { continue }
                var record = Record(recordType: "Notes", recordID: id)
                record[.noteTitle] = draft.title
                record[.noteText] = draft.text
                record[.noteEditedDate] = date
                record[.noteImage] = draft.picture.asset ?? .standard
                do {
                    let note = Note(try await database.save(record) { progress($0.fractionCompleted) })
                    keep(note)
                    return note
                } catch let error as CabinetError where error.code == .serverRecordChanged {
                    continue
                }
            }
        }
    }

    /// Saves what a draft changes in a note, and a new edited date.
    ///
    /// What another device has changed meanwhile stays, unless it is the same field: then nothing is saved, the error says so
    /// (``NotesError/isConflict``), and what the other device has saved is fetched. So it is if that has deleted the note.
    func change(_ note: Note, to draft: Draft, progress: @escaping ProgressReport) async throws(NotesError) -> Note {
        var record = note.record
        if draft.title != note.title { record[.noteTitle] = draft.title }
        if draft.text != note.text { record[.noteText] = draft.text }
        if let asset = draft.picture.asset { record[.noteImage] = asset }
        record[.noteEditedDate] = now()
        do {
            return try await saying(.noteNotSaved) {
                let saved = Note(try await save(record, progress: progress), known: note)
                keep(saved)
                return saved
            }
        } catch {
            if error.isConflict || error.isDeletion { _ = try? await fetchChanges() }
            throw error
        }
    }

    private func save(_ record: Record, progress: @escaping ProgressReport) async throws -> Record {
        do {
            return try await database.save(record) { progress($0.fractionCompleted) }
        } catch let error as CabinetError where error.code == .serverRecordChanged {
            return try await database.save(record, resolvingConflictsWith: .changesOfBoth)
        }
    }

    /// Deletes a note.
    func delete(_ note: Note) async throws(NotesError) {
        try await saying(.noteNotDeleted) {
            try await database.deleteRecord(withID: note.id)
            drop(note.id)
        }
    }
}

extension ConflictResolver {
    /// Takes the changes of both, and the later edited date; refuses where both have changed the same.
    fileprivate static let changesOfBoth = fieldwise { field in
        guard field.key == .noteEditedDate, let mine = field.clientValue as? Date,
            let theirs = field.serverValue as? Date
        else { throw FieldChangedTwice(field: field.key) }
        return max(mine, theirs)
    }
}
