import Cabinet
import Foundation

/// Receives the saved fraction of a picture, from 0 to 1.
typealias ProgressReport = @Sendable (Double) -> Void

extension NotesStore {
    /// Saves a new note, which is named after the time, in whole seconds.
    ///
    /// A name that is taken belongs to a note of the same second: the new note gets the next free one.
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

    /// Saves the changes of a draft, and a new edited date.
    ///
    /// Changes that another device has made since then stay, unless they are in the same field. Then the decisions
    /// choose a value. Without one, nothing is saved, and the error names the field (``NotesError/conflict``).
    func change(
        _ note: Note, to draft: Draft, decisions: Decisions = [:], progress: @escaping ProgressReport
    ) async throws(NotesError) -> Note {
        var record = note.record
        if draft.title != note.title { record[.noteTitle] = draft.title }
        if draft.text != note.text { record[.noteText] = draft.text }
        if let asset = draft.picture.asset { record[.noteImage] = asset }
        if record.changedKeys().isEmpty { return note }
        record[.noteEditedDate] = now()
        do {
            return try await saying(.noteNotSaved) { [record] in
                let saved = Note(try await save(record, following: decisions, progress: progress), known: note)
                keep(saved)
                return saved
            }
        } catch {
            // The screen shows the notes that the other device has saved or deleted.
            if error.conflict != nil || error.isDeletion { try? await fetch() }
            throw error
        }
    }

    private func save(
        _ record: Record, following decisions: Decisions, progress: @escaping ProgressReport
    ) async throws -> Record {
        do {
            return try await database.save(record) { progress($0.fractionCompleted) }
        } catch let error as CabinetError where error.code == .serverRecordChanged {
            return try await database.save(record, resolvingConflictsWith: .following(decisions))
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
