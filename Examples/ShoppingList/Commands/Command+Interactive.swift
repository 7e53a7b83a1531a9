import CabinetMirror
import ExampleSupport
import TerminalProgram

extension Command {
    static let interactive = Command(
        words: ["interactive"], summary: "Show the screens",
        details: """
            They show what other terminals change as it happens. Without a terminal, with TERM=dumb or --plain, they ask
            line by line. Ctrl-D leaves from everywhere. What was saved is saved; what was being typed is not.

            / searches in a list. d deletes with the next key: until then, u shows the row again, and nothing has changed.
            Line by line, '/ word' searches, / alone shows all rows, and 'd 1' deletes with the next line.
            """
    ) { call in
        let store = try ShoppingStore(call.store, mirroring: call.mirroredServer)
        do {
            if try await !showScreens(of: store, on: call.console) {
                var prompt = try ListsPrompt(store: store, console: call.console)
                try await prompt.run()
            }
        } catch is EndOfInput {
            // The input has ended, possibly in the middle of a line.
            if call.console.isTerminal { call.console.write() }
        }
        await store.close()
    }

    /// Shows the screens, if the terminal can.
    @MainActor
    private static func showScreens(of store: ShoppingStore, on console: Console) async throws -> Bool {
        try await FullScreen.use(on: console) { screen in
            let status = screen.follow(store.container.mirror)
            defer { status?.cancel() }
            var lists = try ListsScreen(store: store, screen: screen)
            try await lists.run()
        }
    }
}
