import Cabinet
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

/// The side whose value a person keeps if both have changed a field.
enum Preference: Character {
    case mine = "m"
    case theirs = "t"

    /// The keys of both sides, and their effects.
    static let choices: [(key: Character, action: String)] = [("m", "keep mine"), ("t", "take theirs")]
}

/// A person's decisions about fields that both sides have changed.
///
/// The person is asked again about a value that is newer than the decision.
typealias Decisions = [FieldConflict: Preference]

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
