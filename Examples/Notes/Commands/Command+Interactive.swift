import TerminalProgram

extension Command {
    /// What the program does when nobody says what.
    static let start = Command(words: [], summary: "Show the screens, or the list") { call in
        try await (call.console.isInteractive ? interactive : list).run(call)
    }

    static let interactive = Command(
        words: ["interactive"], summary: "Show the screens",
        details: "Ctrl-D leaves from everywhere. What was saved is saved; what was being typed is not."
    ) { call in
        let store = try call.openStore()
        var screen = NotesScreen(store: store, console: call.console, isVerbose: call.isVerbose)
        do {
            try await screen.run()
        } catch {
            // The input has ended, maybe in the middle of a line.
            if call.console.isTerminal { call.console.write() }
        }
        await store.close()
    }
}
