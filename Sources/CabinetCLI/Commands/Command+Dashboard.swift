import Cabinet
import CabinetDashboard
import CabinetListener
import CabinetServer
import CabinetTools
import Foundation
import TerminalProgram

extension CLIOption {
    fileprivate static let dashboardAddress = Option(
        name: "--listen", value: "ADDRESS",
        summary: "An address and a port, such as 127.0.0.1:8080 or [::]:8080 (default: a free port of 127.0.0.1)")
}

extension Command {
    static let dashboard = Command(
        words: ["dashboard"], options: [CLIOption.dashboardAddress],
        summary: "Show types, records, zones, changes and the schema in a browser, and edit them",
        details: """
            The second line is an address that signs one browser in, within fifteen minutes. Only this machine reaches the dashboard unless
            --listen says otherwise; it takes a free port by default. Ctrl-C ends it.
            """,
        examples: ["cabinet dashboard --store ~/notes", "cabinet dashboard --listen 127.0.0.1:8080 --account _anna"]
    ) { invocation in
        let address: HTTPAddress
        do {
            address = try HTTPAddress(invocation.option(CLIOption.dashboardAddress) ?? "127.0.0.1:0")
        } catch let error as HTTPError {
            throw CommandError.usage(error.message)
        }
        let environment = try invocation.isProduction() ? "production" : "development"
        let title = try invocation.storeText
        try await invocation.withStore(writes: true) { container, _ in
            let storage = try? container.backend
            let account = container.caller.account
            let store = Dashboard.Store(
                identifier: container.containerIdentifier, environment: environment, title: title,
                service: container.service, account: account, storage: storage)
            try await DashboardListener.run(store, on: address, invocation)
        }
    }
}
