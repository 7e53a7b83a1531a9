import CabinetListener
import CabinetServer
import ExampleSupport
import TerminalProgram

extension Command {
    static let serve = Command(
        words: ["serve"],
        options: [.listen],
        summary: "Show the lists in browsers",
        details: """
            The first line is the address. All browsers show each other's changes, and those of terminals, as they happen. Everyone that
            reaches the address has the lists: only this machine does, unless --listen says otherwise. Ctrl-C ends it.
            """
    ) { call in
        let address = try call.listeningAddress
        try await call.withStore(syncs: true) { store in
            // snippet: serve
            try await HTTPListener.run(.init(addresses: [address])) { urls in
                for url in urls { call.console.write("Listening on \(url)") }
                let pages = PageGuard(origins: urls.flatMap(PageGuard.origins))
                return ShoppingSite(store: store, pages: pages).handler
            }
            // end
        }
    }
}
