import Cabinet

/// What a device knows of the notes: those it has fetched or saved, and the place in the changes up to which it knows all.
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

    /// Puts a note that was saved in its place, or at the end if it is new.
    mutating func place(_ note: Note) {
        notesByID[note.id] = note
    }

    /// Takes a note out that was deleted.
    mutating func remove(_ id: RecordID) {
        notesByID[id] = nil
    }

    /// Takes in a page of changes, with the token that goes with it.
    mutating func take(_ page: RecordZoneChangePage, reporting report: inout FetchReport) {
        for record in page.modifications.map(\.record) where record.recordType == "Notes" {
            let known = notesByID[record.recordID]
            // What this device has saved itself comes back to it once.
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
