import Cabinet
import ExampleSupport
import Foundation

/// Receives the saved fraction of a picture, from 0 to 1.
typealias ProgressReport = @Sendable (Double) -> Void

extension NotesStore {
    /// Saves a new note, which is named after the time, in whole seconds, and a UUID.
    ///
    /// Devices that work offline may make notes of the same second. The UUID keeps them apart when they meet on a server.
    func add(_ draft: Draft, progress: @escaping ProgressReport = { _ in }) async throws(NotesError) -> Note {
        try await saying(.noteNotSaved) {
            let date = now()
            let second = Int64(date.timeIntervalSinceReferenceDate.rounded(.down))
            var record = Record(recordType: "Notes", recordID: RecordID(recordName: "\(second)-\(UUID())"))
            record[.noteTitle] = draft.title
            record[.noteText] = draft.text
            record[.noteEditedDate] = date
            record[.noteImage] = draft.picture.asset ?? .standard
            let note = Note(try await database.save(record) { progress($0.fractionCompleted) })
            keep(note)
            return note
        }
    }

    /// Saves the changes of a draft, and a new edited date.
    ///
    /// Changes that another device has made since then stay, unless they are in the same field. Then the decisions
    /// choose a value. Without one, nothing is saved, and the error names the field (``NotesError/conflict``).
    func change(
        _ note: Note, to draft: Draft, decisions: Decisions = [:], progress: @escaping ProgressReport = { _ in }
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
