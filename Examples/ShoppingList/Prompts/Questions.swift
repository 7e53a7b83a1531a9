import Cabinet
import ExampleSupport
import TerminalProgram

/// Asks for every part of a list or an item, and saves it, until the save succeeds or the person cancels.
///
/// The person is asked again about a field that another terminal has changed too, but not about a deleted record.
struct Questions {
    let title: String
    let console: Console

    /// Asks and saves.
    ///
    /// - Parameters:
    ///   - ask: Asks for the values to save; returns `false` if the person cancels.
    ///   - save: Saves them, following the person's decisions about conflicts.
    /// - Returns: The saved record, or a message for the screen below.
    func run<Fields: NamedFields>(
        ask: () async throws(EndOfInput) -> Bool,
        save: (Decisions) async throws(ShoppingError) -> Typed<Fields>
    ) async throws(EndOfInput) -> Answer<Fields> {
        var decisions: Decisions = [:]
        console.clear()
        console.write(title: title)
        var isAsking = true
        while true {
            if isAsking, try await !ask() { return .cancelled }
            isAsking = true
            do throws(ShoppingError) {
                let known = decisions
                return .saved(
                    try await console.showing("Saving") { () async throws(ShoppingError) in try await save(known) })
            } catch {
                if error.isDeletion { return .deleted(error) }
                guard let conflict = error.conflict else {
                    console.write("\(error)".printableLines)
                    continue
                }
                if let preference = try await console.choose(conflict) {
                    decisions[conflict.conflict] = preference
                    isAsking = false
                }
            }
        }
    }

    /// The way in which the questions ended.
    enum Answer<Fields: NamedFields> {
        case saved(Typed<Fields>)
        case cancelled
        case deleted(ShoppingError)
    }
}
