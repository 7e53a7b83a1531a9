import Cabinet
import Foundation
import TerminalProgram

/// A note as the program keeps it: the record, and what its picture's file says of it.
struct Note: Sendable, Codable {
    let record: Record
    let picture: Picture?

    /// Reads a record.
    ///
    /// - Parameter known: The note as it was, so that a picture that is still the same need not be read again.
    init(_ record: Record, known: Note? = nil) {
        self.record = record
        let asset: Asset? = record[.noteImage]
        picture = asset.map { Picture($0, known: known?.picture) }
    }

    var id: RecordID { record.recordID }

    var title: String { record[.noteTitle] ?? "" }

    var text: String { record[.noteText] ?? "" }

    var editedDate: Date? { record[.noteEditedDate] }
}

extension Note {
    /// Whether this note stands above another one: the one that was made first.
    static func isOlder(_ left: Note, _ right: Note) -> Bool {
        (left.record.creationDate ?? .distantFuture, left.id.recordName)
            < (right.record.creationDate ?? .distantFuture, right.id.recordName)
    }
}

/// The fields of a note's record.
extension Record.FieldKey {
    static let noteTitle = "noteTitle"
    static let noteText = "noteText"
    static let noteEditedDate = "noteEditedDate"
    static let noteImage = "noteImage"
}
