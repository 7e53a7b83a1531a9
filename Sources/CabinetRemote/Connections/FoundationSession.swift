import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Connections by the system's `URLSession`, which decides itself whether it sends a request a second time.
final class FoundationSession: RemoteSession {
    private let receiver: ResponseReceiver
    /// `nil` once it was closed.
    private let session: Mutex<URLSession?>

    init(idleTimeLimit: Duration, connections: Int) {
        receiver = ResponseReceiver()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.timeoutIntervalForRequest = idleTimeLimit / .seconds(1)
        configuration.httpMaximumConnectionsPerHost = connections
        session = Mutex(URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil))
    }

    func close() {
        guard let session = session.withLock({ $0.take() }) else { return }
        session.invalidateAndCancel()
    }

    var isClosed: Bool { session.withLock { $0 == nil } }

    func receive(
        _ request: URLRequest, from file: URL?, isRepeatable: Bool, until end: ContinuousClock.Instant?,
        head: @escaping @Sendable (ResponseHead) throws -> Void,
        body: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        if let end, .now >= end { throw URLError(.cannotConnectToHost) }
        let task = try session.withLock { session in
            // A task of an invalidated session would be a trap.
            guard let session else { throw URLError(.cancelled) }
            return file.map { session.uploadTask(with: request, fromFile: $0) } ?? session.dataTask(with: request)
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

extension ResponseHead {
    fileprivate init(_ response: HTTPURLResponse) {
        self.init(
            status: response.statusCode,
            fields: response.allHeaderFields.compactMap { name, value in
                (name as? String).map { (name: $0, value: "\(value)") }
            })
    }
}

/// Passes on responses as they arrive, and refuses redirections.
private final class ResponseReceiver: NSObject, URLSessionDataDelegate, Sendable {
    struct Entry: Sendable {
        let head: @Sendable (ResponseHead) throws -> Void
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
            try entry(of: dataTask)?.head(ResponseHead(response))
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
