import Cabinet
import CabinetListener
import CabinetServer
import Dispatch
import Foundation
import Synchronization
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
        let listener = try HTTPListener(
            .init(addresses: configuration.addresses, tls: configuration.tls, limits: configuration.connections),
            handler: server.handler)
        // A program that starts the server reads this line.
        for url in listener.urls { log.write(line: "Listening on \(url)") }
        for case .unixSocket(let path) in listener.addresses { log.write(line: "Listening on unix:\(path)") }

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

/// Writes the lines of a server on a queue of its own, so that a slow terminal delays no request.
final class AccessLog: Sendable {
    private let queue = DispatchQueue(label: "com.example.cabinet.log")
    /// The lines that are not written yet, and the number of those for which there was no room.
    private let waiting = Mutex((lines: Data(), lost: 0))

    /// The number of bytes that wait at most, for a reader that does not read.
    private static let room = 16 << 20

    func write(_ record: RequestRecord) { write(line: record.json) }

    func write(line: String) {
        let isFirst = waiting.withLock { waiting in
            guard waiting.lines.count < Self.room else {
                waiting.lost += 1
                return false
            }
            defer { waiting.lines.append(contentsOf: (line + "\n").utf8) }
            return waiting.lines.isEmpty
        }
        // The next lines are written with it, until the queue has time.
        if isFirst { queue.async { self.writeLines() } }
    }

    private func writeLines() {
        let (lines, lost) = waiting.withLock { waiting in
            defer { waiting = (Data(), 0) }
            return waiting
        }
        let note = lost > 0 ? "{\"error\":\"\(lost) lines of this log were lost: their reader was too slow.\"}\n" : ""
        try? FileHandle.standardOutput.write(contentsOf: lines + Data(note.utf8))
    }

    /// Waits until all lines are written.
    func finish() { queue.sync {} }
}
