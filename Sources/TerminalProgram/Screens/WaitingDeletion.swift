/// A deletion of a row on a screen of lines, which the next line performs unless it is `u`.
package struct WaitingDeletion: Sendable {
    private let title: String
    private let work: @Sendable () async throws -> Void

    /// Creates a deletion.
    ///
    /// - Parameters:
    ///   - title: The row's name for the message.
    ///   - work: Deletes the row.
    package init(of title: String, work: @escaping @Sendable () async throws -> Void) {
        self.title = title
        self.work = work
    }

    /// The message to show above the keys.
    package var message: String { "\(title) will be deleted with the next line." }

    /// The key that undoes it.
    package static let hint = "u undo"

    fileprivate func perform(on console: Console) async -> (any Error)? {
        do {
            try await console.showing("Deleting", while: work)
            return nil
        } catch {
            return error
        }
    }
}

extension Console {
    /// Asks for a choice on a screen of rows, and performs the deletion that waits for it, unless the choice is to undo it.
    ///
    /// The end of the input performs it too.
    ///
    /// - Parameter count: The number of rows on the screen.
    package func choose(rows count: Int, ending deletion: WaitingDeletion?) async throws(EndOfInput) -> Choice {
        let choice = (try? await ask(">")).map { Choice($0, rows: count) }
        if case .undo? = choice { return deletion == nil ? .unclear("There is nothing to undo.") : .undo }
        let failure = await deletion?.perform(on: self)
        guard let choice else {
            if let failure { writeError("\(failure)") }
            throw EndOfInput()
        }
        return failure.map(Choice.notDeleted) ?? choice
    }
}
