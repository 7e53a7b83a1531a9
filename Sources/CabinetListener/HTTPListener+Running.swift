public import CabinetServer
import Dispatch
public import Foundation
import Synchronization

extension HTTPListener {
    /// Listens until a signal ends the program, and finishes the requests under way.
    ///
    /// ```swift
    /// try await HTTPListener.run(.init(addresses: [address])) { urls in
    ///     print("Listening on \(urls[0])")
    ///     return { request in HTTPResponse(body: HTTPBody("Hello")) }
    /// }
    /// ```
    ///
    /// It also ends when its task is cancelled.
    ///
    /// - Parameters:
    ///   - configuration: The addresses, limits and threads.
    ///   - signals: The signals that end it, `SIGINT` and `SIGTERM` by default.
    ///   - limit: The time that the requests under way may take at the end.
    ///   - makeHandler: Returns the handler, once the addresses with the ports that were chosen are known.
    /// - Throws: ``/CabinetServer/HTTPError`` with the status 503 if an address cannot be used, and the errors of the closure.
    public static func run(
        _ configuration: Configuration, untilSignals signals: [Int32] = [SIGINT, SIGTERM],
        within limit: Duration = .seconds(2), makeHandler: (_ urls: [String]) throws -> HTTPHandler
    ) async throws {
        let later = LaterHandler()
        let listener = try HTTPListener(configuration) { try await later.response(to: $0) }
        later.set(try makeHandler(listener.urls))
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { end.finish() }
            source.activate()
            return source
        }
        for await _ in ends {}
        // A cancelled task would not wait.
        await Task { await listener.stop(within: limit) }.value
        for source in sources { source.cancel() }
    }

    /// The handler of a listener whose address, with a free port, is known only once it listens.
    package final class LaterHandler: Sendable {
        private let handler = Mutex<HTTPHandler?>(nil)

        /// Creates a handler that answers with 503 until ``set(_:)`` is called.
        package init() {}

        /// Sets the handler.
        package func set(_ new: @escaping HTTPHandler) { handler.withLock { $0 = new } }

        /// Answers a request.
        package func response(to request: HTTPRequest) async throws -> HTTPResponse {
            guard let handler = handler.withLock({ $0 }) else {
                throw HTTPError(.serviceUnavailable, "The program is starting.")
            }
            return try await handler(request)
        }
    }
}
