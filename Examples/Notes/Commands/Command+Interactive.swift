import CabinetMirror
import ExampleSupport
import TerminalProgram

extension Command {
    /// The command that runs without arguments.
    static let start = Command(words: [], summary: "Show the screens, or the list") { call in
        try await (call.console.isInteractive ? interactive : list).run(call)
    }

    static let interactive = Command(
        words: ["interactive"], summary: "Show the screens",
        details: """
            They show what other devices change as it happens. Without a terminal, with TERM=dumb or --plain, they ask
            line by line. Ctrl-D leaves from everywhere. What was saved is saved; what was being typed is not.

            / searches in a list. d deletes with the next key: until then, u shows the row again, and nothing has changed.
            Line by line, '/ word' searches, / alone shows all rows, and 'd 1' deletes with the next line.
            """
    ) { call in
        let store = try call.openStore()
        do {
            let isShown = try await FullScreen.use(on: call.console) { screen in
                let status = await screen.follow(store.container.mirror)
                defer { status?.cancel() }
                try await NotesScreen.show(store, on: screen)
            }
            if !isShown {
                var prompt = NotesPrompt(store: store, console: call.console)
                try await prompt.run()
            }
        } catch is EndOfInput {
            // The input has ended, possibly in the middle of a line.
            if call.console.isTerminal { call.console.write() }
        }
        await store.close()
    }
}
