import Cabinet

/// A device's copy of the notes: those it has fetched or saved, and the position in the changes up to which it is
/// complete.
struct LocalNotes: Sendable {
    private(set) var token: ServerChangeToken?
    private var notesByID: [RecordID: Note] = [:]

    init(token: ServerChangeToken? = nil, notes: [Note] = []) {
        self.token = token
        for note in notes { place(note) }
    }

    /// The notes, in the order of the list: a new one is the last.
    var notes: [Note] { notesByID.values.sorted(by: Note.isOlder) }

    subscript(id: RecordID) -> Note? { notesByID[id] }

    /// Replaces a saved note, or appends it if it is new.
    mutating func place(_ note: Note) {
        notesByID[note.id] = note
    }

    /// Removes a deleted note.
    mutating func remove(_ id: RecordID) {
        notesByID[id] = nil
    }

    /// Applies a page of changes, and stores its token.
    mutating func take(_ page: RecordZoneChangePage, reporting report: inout FetchReport) {
        for record in page.modifications.map(\.record) where record.recordType == "Notes" {
            let known = notesByID[record.recordID]
            // This device's own changes come back to it once.
            if known?.record.recordChangeTag == record.recordChangeTag {
                report.known += 1
            } else {
                report.fetched += 1
            }
            place(Note(record, known: known))
        }
        for deletion in page.deletions where deletion.recordType == "Notes" {
            report.deleted += notesByID[deletion.recordID] == nil ? 0 : 1
            remove(deletion.recordID)
        }
        token = page.changeToken
    }
}
