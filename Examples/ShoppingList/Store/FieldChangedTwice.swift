import Cabinet
import ExampleSupport
import Foundation
import TerminalProgram

/// A field that this terminal and another one have both changed, to different values.
struct FieldChangedTwice: LocalizedError {
    let conflict: FieldConflict

    var errorDescription: String? {
        "Another terminal changed the \(conflict.key) to \(Self.text(conflict.serverValue)). "
            + "You typed \(Self.text(conflict.clientValue))."
    }

    private static func text(_ value: (any RecordValue)?) -> String {
        switch value {
        case let text as String: "'\(text.printable)'"
        case let number as Int: "\(number)"
        default: "nothing"
        }
    }
}

extension ConflictResolver {
    /// Keeps the changes of both sides.
    ///
    /// A field that both have changed gets the value that the person chose.
    ///
    /// A save with this resolver throws ``FieldChangedTwice`` for a field that the person has not decided about.
    static func following(_ decisions: Decisions) -> ConflictResolver {
        fieldwise { field in
            switch decisions[field] {
            case .mine: field.clientValue
            case .theirs: field.serverValue
            case nil: throw FieldChangedTwice(conflict: field)
            }
        }
    }
}
