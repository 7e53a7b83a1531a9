import Cabinet
import CabinetDashboard
import CabinetListener
import CabinetServer
import Foundation
import Synchronization
import TerminalProgram

/// A server that listens until a signal ends it.
enum RecordListener {
    /// The time that the requests under way may take when the server ends.
    private static let endTime: Duration = .seconds(20)

    static func run(_ configuration: ServeConfiguration, _ invocation: Invocation) async throws {
        HTTPListener.raiseFileLimit(to: 65_536)
        // The server goes on without the reader of its log.
        signal(SIGPIPE, SIG_IGN)
        // Another program may send a signal while the stores are opened.
        let signals = await SignalArrivals(of: [SIGTERM, SIGHUP])
        defer { signals.end() }
        do {
            let stores = try await ServedStores(configuration.served, invocation)
            try await invocation.closing(stores.close) { try await listen(configuration, stores, signals) }
        } catch let error as HTTPError {
            throw CommandError(.failure, error.message)
        } catch {
            throw CommandError(describing: error)
        }
    }

    private static func listen(
        _ configuration: ServeConfiguration, _ stores: ServedStores, _ signals: SignalArrivals
    ) async throws {
        let log = AccessLog()
        var settings = configuration.server
        (settings.directory, settings.signIn, settings.couriers) = (stores, stores, stores)
        settings.log = { log.write($0) }
        let listening = Mutex<HTTPListener?>(nil)
        settings.furtherMetrics = { listening.withLock(\.self)?.counters.metrics ?? "" }
        let webTokens = try configuration.webTokens.map {
            JSONWebTokenAuthenticator($0.configuration, keys: try $0.keys(), fallback: stores)
        }
        let server = RecordServer(
            authenticator: webTokens ?? stores, secrets: { stores.secret(of: $0) }, configuration: settings
        ) { stores.service($0) }
        Interruption.shared.awaitCommand(handlesTermination: true)
        var dashboard: ServedDashboard?
        let listener = try HTTPListener(
            .init(addresses: configuration.addresses, tls: configuration.tls, limits: configuration.connections)
        ) { urls in
            // Behind a proxy, or for every address of the machine, only the configuration knows the server's own.
            let known =
                settings.isBehindProxy ? nil : urls.first { !$0.contains("//0.0.0.0") && !$0.contains("[::]") }
            if let address = settings.publicURL ?? known { stores.setAddress(address) }
            // A program that starts the server reads this line.
            for url in urls { log.write(line: "Listening on \(url)") }
            for case .unixSocket(let path) in configuration.addresses { log.write(line: "Listening on unix:\(path)") }
            guard configuration.hasDashboard else { return server.handler }
            let made = ServedDashboard(of: stores, at: urls, publicURL: settings.publicURL)
            made.writeAddress()
            dashboard = made
            return made.pages.handler(beside: server.handler)
        }
        listening.withLock { $0 = listener }
        defer { listening.withLock { $0 = nil } }
        for await number in signals.numbers {
            if number == SIGTERM { break }
            // A certificate that cannot be read must not keep a revoked key valid.
            reload { if let keys = try configuration.webTokens?.keys() { webTokens?.setKeys(keys) } }
            reload { try listener.reload() }
            dashboard?.writeAddress()
        }
        server.endStreams()
        dashboard?.pages.endStreams()
        // A cancelled task, after Ctrl-C, would not wait.
        await Task { await listener.stop(within: endTime) }.value
        log.finish()
    }

    /// Reads files again; those before stay in use if that fails.
    private static func reload(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("cabinet: \(error)\n".utf8))
        }
    }
}

/// The dashboard of a server, which signs in one person with each address that it writes.
private struct ServedDashboard {
    let pages: Dashboard
    private let url: String?

    init(of stores: ServedStores, at urls: [String], publicURL: String?) {
        pages = Dashboard(
            stores: stores.dashboardStores,
            origins: urls.flatMap(PageGuard.origins) + [publicURL].compactMap(\.self))
        url = publicURL ?? urls.first.map(PageGuard.localURL)
    }

    /// Writes a new address to the standard error, and not to the log, which others may read.
    func writeAddress() {
        guard let url else { return }
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        try? FileHandle.standardError.write(contentsOf: Data("Open \(base)\(pages.makeSignInPath())\n".utf8))
    }
}

extension HTTPCounters {
    /// The numbers of connections in Prometheus' text format; the server has those of requests.
    fileprivate var metrics: String {
        let numbers = [
            ("open_connections", "gauge", Int64(openConnections)),
            ("waiting_requests", "gauge", Int64(waitingRequests)),
            ("connections_total", "counter", Int64(connections)),
            ("refused_connections_total", "counter", Int64(refusedConnections)),
            ("late_connections_total", "counter", Int64(lateConnections)),
            ("abandoned_requests_total", "counter", Int64(abandonedRequests)),
            ("received_bytes_total", "counter", bytesReceived), ("sent_bytes_total", "counter", bytesSent),
        ]
        return numbers.map { name, type, value in
            "# TYPE cabinet_\(name) \(type)\ncabinet_\(name) \(value)\n"
        }.joined()
    }
}
