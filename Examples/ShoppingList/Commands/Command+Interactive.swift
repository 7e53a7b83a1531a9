import TerminalProgram

extension Command {
    static let interactive = Command(
        words: ["interactive"], summary: "Show the screens",
        details: "Ctrl-D leaves from everywhere. What was saved is saved; what was being typed is not."
    ) { call in
        let store = try ShoppingStore(call.store)
        var screen = ListsScreen(store: store, console: call.console)
        do {
            try await screen.run()
        } catch {
            // The input has ended, maybe in the middle of a line.
            if call.console.isTerminal { call.console.write() }
        }
        await store.close()
    }
}
