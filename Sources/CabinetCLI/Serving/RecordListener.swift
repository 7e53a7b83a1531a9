import Cabinet
import CabinetDashboard
import CabinetListener
import CabinetServer
import Dispatch
import Foundation
import TerminalProgram

/// A server that listens until a signal ends it.
enum RecordListener {
    /// The time that the requests under way may take when the server ends.
    private static let endTime: Duration = .seconds(20)

    static func run(_ configuration: ServeConfiguration, _ invocation: Invocation) async throws {
        HTTPListener.raiseFileLimit(to: 65_536)
        do {
            let stores = try await ServedStores(configuration.served, invocation)
            do {
                try await listen(configuration, stores, invocation)
            } catch {
                await stores.close()
                throw error
            }
            await stores.close()
        } catch let error as HTTPError {
            throw CommandError(.failure, error.message)
        } catch {
            throw CommandError(describing: error)
        }
    }

    private static func listen(
        _ configuration: ServeConfiguration, _ stores: ServedStores, _ invocation: Invocation
    ) async throws {
        let log = AccessLog()
        var settings = configuration.server
        (settings.directory, settings.signIn, settings.couriers) = (stores, stores, stores)
        settings.log = { log.write($0) }
        let webTokens = try configuration.webTokens.map {
            JSONWebTokenAuthenticator($0.configuration, keys: try $0.keys(), fallback: stores)
        }
        let server = RecordServer(
            authenticator: webTokens ?? stores, secrets: { stores.secret(of: $0) }, configuration: settings
        ) { stores.service($0) }
        let dashboard = HTTPListener.LaterHandler()
        let listener = try HTTPListener(
            .init(addresses: configuration.addresses, tls: configuration.tls, limits: configuration.connections),
            handler: configuration.hasDashboard ? dashboard.beside(server.handler) : server.handler)
        // Behind a proxy, or for every address of the machine, only the configuration knows the server's own.
        let known =
            settings.isBehindProxy ? nil : listener.urls.first { !$0.contains("//0.0.0.0") && !$0.contains("[::]") }
        if let address = settings.publicURL ?? known { stores.setAddress(address) }
        // A program that starts the server reads this line.
        for url in listener.urls { log.write(line: "Listening on \(url)") }
        for case .unixSocket(let path) in listener.addresses { log.write(line: "Listening on unix:\(path)") }

        if configuration.hasDashboard {
            let pages = Dashboard(
                stores: stores.dashboardStores,
                origins: listener.urls.flatMap(PageGuard.origins) + [settings.publicURL].compactMap(\.self))
            dashboard.set(pages.handler)
            // Not in the log, which others may read.
            if let url = settings.publicURL ?? listener.urls.first.map(PageGuard.localURL) {
                let base = url.hasSuffix("/") ? String(url.dropLast()) : url
                FileHandle.standardError.write(Data("Open \(base)\(pages.makeSignInPath())\n".utf8))
            }
        }

        Interruption.shared.awaitCommand()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if number == SIGTERM { return end.finish() }
                do {
                    try listener.reload()
                    if let keys = try configuration.webTokens?.keys() { webTokens?.setKeys(keys) }
                } catch {
                    // The earlier certificate and keys stay in use.
                    FileHandle.standardError.write(Data("cabinet: \(error)\n".utf8))
                }
            }
            source.activate()
            return source
        }
        for await _ in ends {}
        server.endStreams()
        // A cancelled task, after Ctrl-C, would not wait.
        await Task { await listener.stop(within: endTime) }.value
        for source in sources { source.cancel() }
        log.finish()
    }
}
