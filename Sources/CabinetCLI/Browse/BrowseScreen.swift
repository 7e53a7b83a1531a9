import Cabinet
import CabinetTools
import TerminalProgram

/// A screen of the browser: a value that turns keys and results into steps, and draws itself.
protocol BrowseScreen: Sendable {
    var title: String { get }
    var status: String { get }
    var keys: [(key: String, action: String)] { get }

    /// The requests when the screen appears, and after each change of the store.
    mutating func load() -> [BrowseStep]
    mutating func handle(_ key: Key) -> [BrowseStep]
    mutating func answer(_ text: String, to purpose: BrowsePrompt.Purpose) throws -> [BrowseStep]
    mutating func take(_ result: BrowseResult) -> [BrowseStep]
    mutating func body(rows: Int, columns: Int) -> [StyledText]
}

extension BrowseScreen {
    mutating func answer(_ text: String, to purpose: BrowsePrompt.Purpose) throws -> [BrowseStep] { [] }
}

/// A consequence of a key or a result.
enum BrowseStep: Sendable {
    case request(BrowseRequest)
    case open(any BrowseScreen)
    case close
    case ask(BrowsePrompt)
    case show(String)
}

/// A question below a screen: one line of text, or yes or no.
struct BrowsePrompt: Sendable {
    let label: String
    let purpose: Purpose
    /// The typed line; `nil` for a question that is answered by one key.
    var field: TextField?

    /// The use of the answer.
    enum Purpose: Sendable, Hashable {
        case filter, sort, zoneName, storeToCompare, deployment, definition, recordName, fieldName, discard, deletion
        case newName(SchemaPart)
        case drop(SchemaPart, losing: Int)
        case value(String)
    }

    static func line(_ label: String, _ text: String = "", for purpose: Purpose) -> Self {
        Self(label: label, purpose: purpose, field: TextField(text))
    }

    static func confirm(_ question: String, for purpose: Purpose) -> Self {
        Self(label: question, purpose: purpose, field: nil)
    }
}

extension BrowsePrompt {
    /// The question for the new name of a record type or field.
    static func newName(of part: SchemaPart) -> Self {
        line("New name of \(part.description.printable):", part.fieldKey ?? part.recordType, for: .newName(part))
    }

    /// The question whether to drop a record type or field.
    static func drop(_ part: SchemaPart, losing count: Int) -> Self {
        let losses = count.counted(part.fieldKey == nil ? "record" : "value")
        return confirm("Drop \(part.description.printable) with \(losses)?", for: .drop(part, losing: count))
    }

    /// The request that follows from an answer about a record type or field; `nil` for other questions.
    static func request(_ text: String, to purpose: Purpose) -> BrowseRequest? {
        switch purpose {
        case .newName(let part): text.isEmpty ? nil : .rename(part, to: text)
        case .drop(let part, let count): .drop(part, losingAtMost: count)
        default: nil
        }
    }
}

extension Key {
    /// Whether the key closes a screen.
    var leaves: Bool { self == .escape || self == .character("q") || self == .left }

    /// Whether the key opens the selected row.
    var opens: Bool { self == .enter || self == .right }

    /// The row of a table that was clicked, below its titles, counted from 0.
    var clickedRow: Int? {
        if case .click(let row, _) = self { row - Page.headerHeight - 1 } else { nil }
    }
}
