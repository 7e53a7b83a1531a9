import TerminalProgram

extension Command {
    static let demo = Command(
        words: ["demo"], summary: "Play the tutorial's story, and narrate it",
        details: "Without --store, it plays in a temporary folder. With it, the store must be empty."
    ) { call in
        try await call.withStoreForDemo { store, _ in
            try await Demo(location: store, console: call.console).play()
        }
    }
}
