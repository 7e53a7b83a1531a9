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
    private let session: URLSession
    private let isClosed = Mutex(false)

    init(_ address: ServerAddress, _ credentials: Credentials, _ configuration: RemoteConfiguration) {
        (self.address, self.credentials, self.configuration) = (address, credentials, configuration)
        session = URLSession(
            configuration: .plain(silence: configuration.silence, connections: configuration.connections),
            delegate: RedirectRefusal(), delegateQueue: nil)
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
    /// - Parameter isRepeatable: Whether sending it again is harmless although the server may have carried it out.
    /// - Returns: The body of the response.
    func send(
        _ route: CabinetRoute, body: Data? = nil, for caller: Caller, isRepeatable: Bool
    ) async throws -> Data {
        var attempts = RetryPolicy(limit: configuration.retryTime)
        let id = UUID().uuidString
        while true {
            try checkState()
            let request = try await address.request(route, body: body, for: caller, credentials, id: id)
            let failure: RemoteFailure
            do {
                let (data, response) = try await exchange(request)
                guard let found = RemoteFailure(response, data, isRepeatable: isRepeatable) else { return data }
                failure = found
            } catch {
                try checkState()
                failure = RemoteFailure(error, isRepeatable: isRepeatable)
            }
            guard failure.permitsRetry, let delay = attempts.nextDelay(atLeast: failure.error.retryAfterSeconds) else {
                throw failure.error
            }
            try? await Task.sleep(for: delay)
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

    private func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let running = Mutex<URLSessionTask?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = session.dataTask(with: request) { data, response, error in
                    if let response = response as? HTTPURLResponse, error == nil {
                        continuation.resume(returning: (data ?? Data(), response))
                    } else {
                        continuation.resume(throwing: error ?? URLError(.badServerResponse))
                    }
                }
                running.withLock { $0 = task }
                task.resume()
                // The handler may have run before the task existed.
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            running.withLock { $0 }?.cancel()
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

/// Refuses redirections, which could lead a token to another server.
final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
