public import CabinetServer
public import Foundation

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
        // A program that has read an address may send a signal at once.
        let arrivals = await SignalArrivals(of: signals)
        defer { arrivals.end() }
        let listener = try HTTPListener(configuration, makeHandler: makeHandler)
        for await _ in arrivals.numbers { break }
        // A cancelled task would not wait.
        await Task { await listener.stop(within: limit) }.value
    }
}
