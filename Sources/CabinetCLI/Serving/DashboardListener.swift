import Cabinet
import CabinetDashboard
import CabinetListener
import CabinetServer
import Dispatch
import Foundation
import Synchronization
import TerminalProgram

/// A dashboard that listens until a signal ends it.
enum DashboardListener {
    /// The time that the requests under way may take when the dashboard ends.
    private static let endTime: Duration = .seconds(2)

    /// The handler of a listener whose address, with a free port, is known only once it listens.
    final class LaterHandler: Sendable {
        private let handler = Mutex<HTTPHandler?>(nil)

        func set(_ new: @escaping HTTPHandler) { handler.withLock { $0 = new } }

        func response(to request: HTTPRequest) async throws -> HTTPResponse {
            guard let handler = handler.withLock({ $0 }) else {
                throw HTTPError(.serviceUnavailable, "The dashboard is starting.")
            }
            return try await handler(request)
        }

        /// Returns a handler that answers what is not the dashboard's with another one.
        func beside(_ other: @escaping HTTPHandler) -> HTTPHandler {
            { request in
                let isOwn = request.path == "/\(Dashboard.path)" || request.path.hasPrefix("/\(Dashboard.path)/")
                return try await isOwn ? self.response(to: request) : other(request)
            }
        }
    }

    static func run(_ store: Dashboard.Store, on address: HTTPAddress, _ invocation: Invocation) async throws {
        let later = LaterHandler()
        let listener = try HTTPListener(.init(addresses: [address])) { try await later.response(to: $0) }
        let dashboard = Dashboard(stores: [store], origins: listener.urls.flatMap(origins))
        later.set(dashboard.handler)
        guard let url = listener.urls.first else {
            throw CommandError.usage("A dashboard needs a port, such as --listen 127.0.0.1:8080.")
        }
        invocation.console.write("Listening on \(url)")
        invocation.console.write("Open \(localURL(url))\(dashboard.makeSignInPath())")

        Interruption.shared.awaitCommand()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { end.finish() }
        source.activate()
        for await _ in ends {}
        // A cancelled task, after Ctrl-C, would not wait.
        await Task { await listener.stop(within: endTime) }.value
        source.cancel()
    }

    /// The address of a listener for a browser on this machine, also if it listens on all of its addresses.
    static func localURL(_ url: String) -> String {
        url.replacing("//0.0.0.0:", with: "//127.0.0.1:").replacing("//[::]:", with: "//[::1]:")
    }

    /// The names under which browsers reach a listener: on loopback, also `localhost`.
    static func origins(of url: String) -> [String] {
        let url = localURL(url)
        let names = ["127.0.0.1", "[::1]"].filter { url.contains("//\($0):") }
        return [url] + names.map { url.replacing($0, with: "localhost") }
    }
}
