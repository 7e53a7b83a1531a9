import Cabinet
import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Connections to a server, without cookies, a cache or stored credentials.
final class RemoteSession: Sendable {
    private let make: @Sendable () -> URLSession
    private let receiver: ResponseReceiver
    /// The current session; `nil` once it was closed.
    private let session: Mutex<URLSession?>

    init(silence: Duration, connections: Int) {
        let receiver = ResponseReceiver()
        self.receiver = receiver
        make = {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpShouldSetCookies = false
            configuration.httpCookieAcceptPolicy = .never
            configuration.timeoutIntervalForRequest = silence / .seconds(1)
            configuration.httpMaximumConnectionsPerHost = connections
            return URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        }
        session = Mutex(make())
    }

    func close() {
        guard let session = session.withLock({ $0.take() }) else { return }
        DispatchQueue.global().async { session.invalidateAndCancel() }
    }

    /// Sends later requests over other connections.
    ///
    /// An endless body can occupy a session for seconds after its task was cancelled.
    func renew() {
        let former = session.withLock { session -> URLSession? in
            defer { session = session.map { _ in make() } }
            return session
        }
        guard let former else { return }
        DispatchQueue.global().async { former.finishTasksAndInvalidate() }
    }

    /// Throws if the session was closed.
    func checkState() throws(CabinetError) {
        if session.withLock({ $0 == nil }) { throw Self.closed }
    }

    private static let closed = CabinetError(
        .serviceUnavailable, "The container was closed. Create another one.")

    /// Sends a request, and passes on the response as it arrives.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - file: A file with its body.
    ///   - head: Checks the status and the fields. An error ends the connection.
    ///   - body: Takes the next bytes. An error ends the connection.
    func receive(
        _ request: URLRequest, from file: URL? = nil, head: @escaping @Sendable (HTTPURLResponse) throws -> Void,
        body: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        let task = try session.withLock { session in
            // A task of an invalidated session would be a trap.
            guard let session else { throw Self.closed }
            return file.map { session.uploadTask(with: request, fromFile: $0) } ?? session.dataTask(with: request)
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                receiver.add(.init(head: head, body: body, end: continuation), of: task)
                task.resume()
                // The handler may have run before the task was resumed.
                if Task.isCancelled { task.cancelSoon() }
            }
        } onCancel: {
            task.cancelSoon()
        }
    }
}

extension URLSessionTask {
    /// Cancels the task, without waiting for it.
    ///
    /// Outside of Apple's platforms, `cancel()` waits behind the bytes that arrive: seconds, with an endless body, for which the delegate must
    /// go on taking bytes, since they would pile up.
    fileprivate func cancelSoon() {
        DispatchQueue.global().async { self.cancel() }
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

    /// By task: sessions number theirs alike.
    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func add(_ entry: Entry, of task: URLSessionTask) {
        entries.withLock { $0[ObjectIdentifier(task)] = entry }
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
            // Outside of Apple's platforms, the disposition has no effect.
            dataTask.cancelSoon()
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
            dataTask.cancelSoon()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(task, error)
    }

    private func entry(of task: URLSessionTask) -> Entry? {
        entries.withLock { $0[ObjectIdentifier(task)] }
    }

    private func end(_ task: URLSessionTask, _ error: (any Error)?) {
        let entry = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
        guard let error else {
            entry?.end.resume()
            return
        }
        entry?.end.resume(throwing: error)
    }
}
