extension FullScreen {
    /// Lets a program use the whole terminal, and returns it to the shell afterwards, even if the program fails.
    ///
    /// - Parameter mouse: Whether the program uses the mouse.
    /// - Returns: Whether the terminal can be used this way. If not, nothing happens.
    package static func use(
        on console: Console, mouse: Bool = false, _ work: (FullScreen) async throws -> Void
    ) async throws -> Bool {
        guard let screen = FullScreen(console: console, mouse: mouse) else { return false }
        defer { screen.close() }
        do {
            try await work(screen)
        } catch is EndOfInput {
            // The person left with Control-D, or closed the terminal.
        }
        return true
    }
}
