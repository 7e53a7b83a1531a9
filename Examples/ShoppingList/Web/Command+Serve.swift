import CabinetListener
import CabinetServer
import TerminalProgram

extension Command {
    static let serve = Command(
        words: ["serve"],
        options: [
            Option(
                name: "--listen", value: "ADDRESS",
                summary: "127.0.0.1:0 (default), [::1]:8080 or unix:PATH; port 0 takes a free one")
        ],
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

extension Invocation {
    /// The address of the option `--listen`.
    fileprivate var listeningAddress: HTTPAddress {
        get throws {
            do {
                return try HTTPAddress(arguments.options["--listen"] ?? "127.0.0.1:0")
            } catch let error as HTTPError {
                throw CommandError.usage(error.message)
            }
        }
    }
}
