import Cabinet
import CabinetWire
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests to a server, and repeats those that failed where it is harmless.
final class RemoteTransport: Sendable {
    private let address: ServerAddress
    private let credentials: Credentials
    private let configuration: RemoteConfiguration
    private let session: RemoteSession

    /// The longest time for which a request that changes something is repeated.
    ///
    /// A server remembers the response to a save for ten minutes.
    private static let repetitionTime: Duration = .seconds(300)

    init(_ address: ServerAddress, _ credentials: Credentials, _ configuration: RemoteConfiguration) {
        (self.address, self.credentials, self.configuration) = (address, credentials, configuration)
        session = RemoteSession(silence: configuration.silence, connections: configuration.connections)
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
    /// - Parameter effect: The effect of sending it again although the server may have carried it out.
    /// - Returns: The body of the response.
    func send(
        _ route: CabinetRoute, body: Data? = nil, for caller: Caller, effect: RequestEffect, answer: Answer
    ) async throws -> Data {
        let limit = configuration.retryTime
        var attempts = RetryPolicy(limit: effect == .none ? limit : min(limit, Self.repetitionTime))
        var mayBeDone = false
        let id = UUID().uuidString
        while true {
            try checkState()
            let request = try await address.request(route, body: body, for: caller, credentials, id: id)
            let failure: RemoteFailure
            do {
                let response = try await exchange(request, answer)
                guard let found = RemoteFailure(response, effect) else { return response.body }
                failure = found
            } catch {
                try checkState()
                failure = RemoteFailure(error, effect)
            }
            mayBeDone = mayBeDone || failure.mayBeDone
            guard failure.permitsRetry, let delay = attempts.nextDelay(atLeast: failure.error.retryAfterSeconds) else {
                throw mayBeDone ? failure.afterLostResponse : failure.error
            }
            try? await Task.sleep(for: delay)
        }
    }

    private func checkState() throws(CabinetError) {
        if Task.isCancelled {
            throw CabinetError(.operationCancelled, "The task of the request was cancelled.")
        }
        try session.checkState()
    }

    private func exchange(_ request: URLRequest, _ answer: Answer) async throws -> RemoteResponse {
        let received = Mutex(RemoteResponse())
        // The limit of silence alone would let a server send a byte a minute.
        let end = ContinuousClock.now + configuration.silence * 10
        do {
            try await session.receive(
                request,
                head: { head in
                    try received.withLock { try $0.begin(head, answer) }
                },
                body: { bytes in
                    if ContinuousClock.now > end { throw URLError(.timedOut) }
                    try received.withLock { try $0.append(bytes) }
                })
        } catch let refusal as RemoteResponse.Refusal {
            session.renew()
            throw refusal
        }
        return received.withLock { $0 }
    }
}

/// A response, whose body has a limit.
struct RemoteResponse: Sendable {
    private(set) var status = 0
    private(set) var retryAfter: Double?
    private(set) var body = Data()
    private var limit = 0

    /// The number of bytes that a response that failed may have in any case.
    private static let failureSize = 1 << 20

    var isSuccess: Bool { 200..<300 ~= status }

    /// A response that no server of Cabinet gives.
    enum Refusal: Error {
        case contentType(String)
        case size(Int)
    }

    mutating func begin(_ head: HTTPURLResponse, _ answer: RemoteTransport.Answer) throws {
        status = head.statusCode
        retryAfter = head.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init)
        limit = isSuccess ? answer.size : max(answer.size, Self.failureSize)
        if isSuccess, let expected = answer.contentType {
            let type = head.value(forHTTPHeaderField: "Content-Type") ?? ""
            let name = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
            guard name == expected else { throw Refusal.contentType(String(type.prefix(100))) }
        }
        if head.expectedContentLength > Int64(limit) { throw Refusal.size(limit) }
    }

    mutating func append(_ bytes: Data) throws {
        guard body.count + bytes.count <= limit else { throw Refusal.size(limit) }
        body.append(bytes)
    }
}
