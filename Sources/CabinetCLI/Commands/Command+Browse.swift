import Cabinet
import CabinetTools
import TerminalProgram

extension Command {
    static let browse = Command(
        words: ["browse"], summary: "Show types, records, zones and changes on the whole terminal, and edit them",
        details: """
            The keys are at the bottom of the screen. Arrows, j, k, g, G, Space and the mouse move the selection; Enter opens it. References
            are followed with Enter, in both directions. Changes of other programs appear at once.
            """,
        examples: ["cabinet browse", "cabinet browse --database public --environment production"]
    ) { invocation in
        let title = "\(try invocation.storeText), \(try invocation.scope())"
        try await invocation.withStore(writes: true) { container, database in
            let signals = try container.signals(of: database.databaseScope)
            let store = BrowseStore(container: container, database: database, invocation: invocation)
            // Ctrl-C cancels the command, which ends the program or returns to the prompt of the shell.
            let isShown = try await FullScreen.use(on: invocation.console, mouse: true, isEndedByInterrupt: false) {
                try await BrowseSession(store, title: title, on: $0).run(signals: signals)
            }
            if !isShown {
                throw CommandError.usage(
                    "browse needs a terminal that can move its cursor. For a script: cabinet query TYPE")
            }
        }
    }
}

extension BrowseStore {
    /// Creates the store of a command's browser.
    init(container: Container, database: Database, invocation: Invocation) {
        self.init(container: container, database: database) { store, work in
            try await invocation.withContainer(writes: true, at: store) {
                try await work($0.database(with: database.databaseScope))
            }
        } describe: {
            invocation.describe($0).description
        }
    }
}
