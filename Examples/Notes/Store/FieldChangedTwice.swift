import Cabinet
import ExampleSupport
import Foundation
import TerminalProgram

/// A field of a note that this device and another one have both changed, to different values.
struct FieldChangedTwice: LocalizedError {
    let conflict: FieldConflict

    var errorDescription: String? {
        let names: [Record.FieldKey: String] = [.noteTitle: "title", .noteText: "text", .noteImage: "picture"]
        let name = names[conflict.key] ?? conflict.key
        guard let theirs = conflict.serverValue as? String, let mine = conflict.clientValue as? String else {
            return "Another device has changed the note's \(name) in the meantime."
        }
        return """
            Another device has changed the note's \(name) in the meantime.
            Theirs: \(theirs.printable.truncated(toColumns: 200))
            Yours: \(mine.printable.truncated(toColumns: 200))
            """
    }
}

extension ConflictResolver {
    /// Keeps the changes of both sides and the later edited date.
    ///
    /// A field that both have changed gets the value that the person chose.
    ///
    /// A save with this resolver throws ``FieldChangedTwice`` for a field that the person has not decided about.
    static func following(_ decisions: Decisions) -> ConflictResolver {
        fieldwise { field in
            if field.key == .noteEditedDate, let mine = field.clientValue as? Date,
                let theirs = field.serverValue as? Date
            {
                return max(mine, theirs)
            }
            switch decisions[field] {
            case .mine: return field.clientValue
            case .theirs: return field.serverValue
            case nil: throw FieldChangedTwice(conflict: field)
            }
        }
    }
}
