import Cabinet
import TerminalProgram

/// Asks for everything that a list or an item has, and saves it, until that succeeds or the person cancels.
///
/// A field that another terminal has changed too is asked about. What another terminal has deleted is not asked about again.
struct Questions {
    let title: String
    let console: Console

    /// Asks and saves.
    ///
    /// - Parameters:
    ///   - ask: Asks for what to save; it returns `false` if the person cancels.
    ///   - save: Saves it, following the person's decisions about conflicts.
    /// - Returns: The saved record, or what the screen below is to say.
    func run(
        ask: () async throws(EndOfInput) -> Bool,
        save: (Decisions) async throws(ShoppingError) -> Record
    ) async throws(EndOfInput) -> Answer {
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
                    console.write("\(error)")
                    continue
                }
                if let preference = try await console.choose(conflict) {
                    decisions[conflict.conflict] = preference
                    isAsking = false
                }
            }
        }
    }

    /// How the questions ended.
    enum Answer {
        case saved(Record)
        case cancelled
        case deleted(ShoppingError)
    }
}
