import Cabinet
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Connections to a server, without cookies, a cache or stored credentials.
final class RemoteSession: Sendable {
    private let session: URLSession
    private let receiver = ResponseReceiver()
    private let isClosed = Mutex(false)

    init(silence: Duration, connections: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.timeoutIntervalForRequest = silence / .seconds(1)
        configuration.httpMaximumConnectionsPerHost = connections
        session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    }

    func close() {
        isClosed.withLock { isClosed in
            if !isClosed { session.invalidateAndCancel() }
            isClosed = true
        }
    }

    /// Throws if the session was closed.
    func checkState() throws(CabinetError) {
        if isClosed.withLock({ $0 }) { throw Self.closed }
    }

    private static let closed = CabinetError(
        .serviceUnavailable, "The container was closed. Create another one.")

    /// Sends a request, and passes on the response as it arrives.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - head: Checks the status and the fields. An error ends the connection.
    ///   - body: Takes the next bytes. An error ends the connection.
    func receive(
        _ request: URLRequest, head: @escaping @Sendable (HTTPURLResponse) throws -> Void,
        body: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        let task = try isClosed.withLock { isClosed in
            // A task of an invalidated session would be a trap.
            if isClosed { throw Self.closed }
            return session.dataTask(with: request)
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                receiver.add(.init(head: head, body: body, end: continuation), of: task)
                task.resume()
                // The handler may have run before the task was resumed.
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// Passes on responses as they arrive, and refuses redirections, which could lead a token to another server.
///
/// It has no superclass: outside of Apple's platforms a session would call the superclass's methods.
private final class ResponseReceiver: NSObject, URLSessionDataDelegate, Sendable {
    struct Entry: Sendable {
        let head: @Sendable (HTTPURLResponse) throws -> Void
        let body: @Sendable (Data) throws -> Void
        let end: CheckedContinuation<Void, any Error>
    }

    private let entries = Mutex<[Int: Entry]>([:])

    func add(_ entry: Entry, of task: URLSessionTask) {
        entries.withLock { $0[task.taskIdentifier] = entry }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        do {
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            try entry(of: dataTask)?.head(response)
            completionHandler(.allow)
        } catch {
            end(dataTask, error)
            completionHandler(.cancel)
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        do {
            try entry(of: dataTask)?.body(data)
        } catch {
            end(dataTask, error)
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(task, error)
    }

    private func entry(of task: URLSessionTask) -> Entry? {
        entries.withLock { $0[task.taskIdentifier] }
    }

    private func end(_ task: URLSessionTask, _ error: (any Error)?) {
        let entry = entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let error else {
            entry?.end.resume()
            return
        }
        entry?.end.resume(throwing: error)
    }
}
