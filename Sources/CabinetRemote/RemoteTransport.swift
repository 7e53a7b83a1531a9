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
    private let session: URLSession
    private let responses = ResponseCollector()
    private let isClosed = Mutex(false)

    init(_ configuration: RemoteConfiguration) {
        self.configuration = configuration
        session = URLSession(
            configuration: .plain(silence: configuration.silence, connections: configuration.connections),
            delegate: responses, delegateQueue: nil)
    }

    func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if !wasClosed { session.invalidateAndCancel() }
    }

    /// Sends a request until it is answered.
    ///
    /// - Parameters:
    ///   - file: A file with the body of the request.
    ///   - isRepeatable: Whether sending it again is harmless although the server may have carried it out.
    ///   - request: Creates the request of each attempt.
    ///   - failure: Returns the failure of a response; `nil` if another attempt cannot help.
    func send(
        from file: URL? = nil, isRepeatable: Bool, request: () async throws -> URLRequest,
        failure: (ServerResponse) -> RemoteFailure?
    ) async throws -> ServerResponse {
        var attempts = RetryPolicy(limit: configuration.retryTime)
        while true {
            try checkState()
            switch await attempt(try await request(), from: file, isRepeatable: isRepeatable, failure: failure) {
            case .success(let response): return response
            case .failure(let failure):
                try checkState()
                guard failure.permitsRetry,
                    let delay = attempts.nextDelay(atLeast: failure.error.retryAfterSeconds)
                else { throw failure.error }
                try? await Task.sleep(for: delay)
            }
        }
    }

    private func attempt(
        _ request: URLRequest, from file: URL?, isRepeatable: Bool, failure: (ServerResponse) -> RemoteFailure?
    ) async -> Result<ServerResponse, RemoteFailure> {
        do {
            let response = try await exchange(request, from: file)
            return failure(response).map(Result.failure) ?? .success(response)
        } catch {
            return .failure(RemoteFailure(error, isRepeatable: isRepeatable))
        }
    }

    private func checkState() throws(CabinetError) {
        if Task.isCancelled {
            throw CabinetError(.operationCancelled, "The task of the request was cancelled.")
        }
        if isClosed.withLock({ $0 }) {
            throw CabinetError(.serviceUnavailable, "The container was closed. Create another one.")
        }
    }

    private func exchange(_ request: URLRequest, from file: URL?) async throws -> ServerResponse {
        let task =
            file.map { session.uploadTask(with: request, fromFile: $0) } ?? session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await responses.response(of: task, limit: configuration.responseSize)
        } onCancel: {
            task.cancel()
        }
    }
}

extension URLSessionConfiguration {
    /// A configuration without cookies, a cache or stored credentials.
    static func plain(silence: Duration, connections: Int) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.timeoutIntervalForRequest = silence / .seconds(1)
        configuration.httpMaximumConnectionsPerHost = connections
        return configuration
    }
}
