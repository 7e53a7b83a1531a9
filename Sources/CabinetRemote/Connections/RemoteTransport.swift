import Cabinet
import CabinetWire
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests to a server, and repeats those that failed where it is harmless.
final class RemoteTransport: Sendable {
    private let configuration: RemoteConfiguration
    private let session: any RemoteSession
    /// The longest time for which a request that changes something is repeated.
    private let repetitionTime: Duration

    /// Creates a transport.
    ///
    /// - Parameter repetitionTime: The longest time for which a request that changes something is repeated. A server remembers the
    ///   response to a save for ten minutes.
    init(_ configuration: RemoteConfiguration, repetitionTime: Duration = .seconds(300)) {
        (self.configuration, self.repetitionTime) = (configuration, repetitionTime)
        session = makeSession(idleTimeLimit: configuration.idleTimeLimit, connections: configuration.maximumConnections)
    }

    func close() { session.close() }

    /// The expected body of a response.
    struct Answer: Sendable {
        /// The content type; `nil` for any.
        var contentType: String?
        /// The maximum number of bytes.
        var size: Int
    }

    /// Sends a request until it is answered.
    ///
    /// - Parameters:
    ///   - file: A file with the body of the request.
    ///   - effect: The effect of sending it again although the server may have carried it out.
    ///   - answer: The expected body; by default any of ``RemoteConfiguration/maximumResponseSize``.
    ///   - request: Creates the request of each attempt.
    ///   - failure: Returns the failure of a response; `nil` if another attempt cannot help.
    func send(
        from file: URL? = nil, effect: RequestEffect, answer: Answer? = nil, request: () async throws -> URLRequest,
        failure: (RemoteResponse) -> RemoteFailure?
    ) async throws -> RemoteResponse {
        let answer = answer ?? Answer(size: configuration.maximumResponseSize)
        let limit = configuration.retryTimeLimit
        var attempts = RetryPolicy(limit: effect == .none ? limit : min(limit, repetitionTime))
        // A pause, or a wait for a connection, lasts as long as the computer sleeps.
        let end = effect == .idempotent ? ContinuousClock.now + repetitionTime : nil
        var mayBeDone = false
        while true {
            try checkState(mayBeDone: mayBeDone)
            let request = try await request()
            let found: RemoteFailure
            do {
                let response = try await exchange(request, from: file, effect, answer, until: end)
                guard let failed = failure(response) else { return response }
                found = failed
            } catch {
                found = RemoteFailure(error, effect, of: request.url)
                try checkState(mayBeDone: mayBeDone || found.mayBeDone)
            }
            mayBeDone = mayBeDone || found.mayBeDone
            guard found.permitsRetry, let delay = attempts.nextDelay(atLeast: found.error.retryAfterSeconds) else {
                throw mayBeDone ? found.afterLostResponse : found.error
            }
            try? await Task.sleep(for: delay)
        }
    }

    /// Throws if the task was cancelled or the session was closed.
    ///
    /// - Parameter mayBeDone: Whether the server may have carried out a request that changes something.
    private func checkState(mayBeDone: Bool) throws(CabinetError) {
        if Task.isCancelled {
            let message = "The task of the request was cancelled."
            if !mayBeDone { throw CabinetError(.operationCancelled, message) }
            throw CabinetError(
                .operationCancelled, "\(message) \(RemoteFailure.uncertainty)",
                underlyingError: CabinetError(.serverResponseLost, "The task did not wait for the response."))
        }
        if session.isClosed {
            throw CabinetError(.serviceUnavailable, "The container was closed. Create another one.")
        }
    }

    private func exchange(
        _ request: URLRequest, from file: URL?, _ effect: RequestEffect, _ answer: Answer,
        until lastStart: ContinuousClock.Instant?
    ) async throws -> RemoteResponse {
        let received = Mutex(RemoteResponse())
        // The limit of idle time alone would let a server send a byte a minute.
        let end = ContinuousClock.now + configuration.idleTimeLimit * 10
        try await session.receive(
            request, from: file, isRepeatable: effect != .once, until: lastStart,
            head: { head in
                try received.withLock { try $0.begin(head, answer) }
            },
            body: { bytes in
                if ContinuousClock.now > end { throw URLError(.timedOut) }
                try received.withLock { try $0.append(bytes) }
            })
        return received.withLock { $0 }
    }
}

/// A response, whose body has a limit.
struct RemoteResponse: Sendable {
    private(set) var head: ResponseHead?
    private(set) var body = Data()
    private var limit = 0

    /// The number of bytes that a response that failed may have in any case.
    private static let failureSize = 1 << 20

    var status: Int { head?.status ?? 0 }

    var isSuccess: Bool { 200..<300 ~= status }

    /// The seconds that the server asks to wait, by a number or a date.
    var retryAfter: Double? {
        guard let text = value(of: "Retry-After") else { return nil }
        if let seconds = Double(text) { return seconds.isFinite ? seconds : nil }
        let formatter = DateFormatter()
        (formatter.locale, formatter.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(secondsFromGMT: 0))
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text).map { max($0.timeIntervalSinceNow, 0) }
    }

    /// Returns the value of a field of the head.
    func value(of field: String) -> String? { head?.value(of: field) }

    /// A response that no server of Cabinet gives.
    enum Refusal: Error {
        case contentType(String)
        case size(Int)
    }

    mutating func begin(_ head: ResponseHead, _ answer: RemoteTransport.Answer) throws {
        self.head = head
        limit = isSuccess ? answer.size : max(answer.size, Self.failureSize)
        if isSuccess, let expected = answer.contentType {
            let type = head.value(of: "Content-Type") ?? ""
            let name = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
            guard name == expected else { throw Refusal.contentType(String(type.prefix(100))) }
        }
        if let length = head.value(of: "Content-Length").flatMap(Int.init), length > limit { throw Refusal.size(limit) }
    }

    mutating func append(_ bytes: Data) throws {
        guard body.count + bytes.count <= limit else { throw Refusal.size(limit) }
        body.append(bytes)
    }
}
