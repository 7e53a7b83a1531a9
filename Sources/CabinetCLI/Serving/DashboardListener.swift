import Cabinet
import CabinetDashboard
import CabinetListener
import CabinetServer
import Foundation
import TerminalProgram

/// A dashboard that listens until a signal ends it.
enum DashboardListener {
    static func run(_ store: Dashboard.Store, on address: HTTPAddress, _ invocation: Invocation) async throws {
        Interruption.shared.awaitCommand(handlesTermination: true)
        try await HTTPListener.run(.init(addresses: [address]), untilSignals: [SIGTERM]) { urls in
            let dashboard = Dashboard(stores: [store], origins: urls.flatMap(PageGuard.origins))
            guard let url = urls.first else {
                throw CommandError.usage("A dashboard needs a port, such as --listen 127.0.0.1:8080.")
            }
            invocation.console.write("Listening on \(url)")
            invocation.console.write("Open \(PageGuard.localURL(url))\(dashboard.makeSignInPath())")
            return dashboard.handler
        }
    }
}

extension Dashboard {
    /// Returns a handler that answers what is not the dashboard's with another one.
    func handler(beside other: @escaping HTTPHandler) -> HTTPHandler {
        let handler = handler
        return { request in
            let isOwn = request.path == "/\(Dashboard.path)" || request.path.hasPrefix("/\(Dashboard.path)/")
            return try await isOwn ? handler(request) : other(request)
        }
    }
}
