import Cabinet
import Foundation
import TerminalProgram

/// A note in the program: the record, and the header of its picture's file.
struct Note: Sendable, Codable, Identifiable {
    let record: Record
    let picture: Picture?

    /// Reads a record.
    ///
    /// - Parameter known: The earlier version of the note, so that an unchanged picture is not read again.
    init(_ record: Record, known: Note? = nil) {
        self.record = record
        let asset: Asset? = record[.noteImage]
        picture = asset.map { Picture($0, known: known?.picture) }
    }

    var id: RecordID { record.recordID }

    /// The second that the record name begins with, which a person may type instead of the name; `nil` if it has another form.
    var number: String? { id.recordName.split(separator: "-").first.flatMap { Int64($0) }.map(String.init) }

    var title: String { record[.noteTitle] ?? "" }

    var text: String { record[.noteText] ?? "" }

    var editedDate: Date? { record[.noteEditedDate] }
}

extension Note {
    /// Whether this note comes before another one: the older one comes first.
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
