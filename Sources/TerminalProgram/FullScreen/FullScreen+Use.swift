extension FullScreen {
    /// Lets a program use the whole terminal, and returns it to the shell afterwards, even if the program fails.
    ///
    /// - Parameters:
    ///   - mouse: Whether the program uses the mouse.
    ///   - isEndedByInterrupt: Whether Ctrl-C ends the process. Otherwise the program handles the signal itself.
    /// - Returns: Whether the terminal can be used this way. If not, nothing happens.
    package static func use(
        on console: Console, mouse: Bool = false, isEndedByInterrupt: Bool = true,
        _ work: (FullScreen) async throws -> Void
    ) async throws -> Bool {
        guard let screen = try FullScreen(console: console, mouse: mouse, isEndedByInterrupt: isEndedByInterrupt)
        else { return false }
        defer { screen.close() }
        do {
            try await work(screen)
        } catch is EndOfInput {
            // The person left with Control-D, closed the terminal, or cancelled the task.
        }
        return true
    }
}
