import Cabinet
import CabinetWire
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Signals of a server, over connections that are made again whenever they break.
final class RemoteSignals: Sendable {
    private let address: ServerAddress
    private let credentials: Credentials
    private let session: URLSession
    private let streams = StreamingDelegate()
    private let tasks = SignalTasks()
    private let isClosed = Mutex(false)

    /// The most streams at once; each has a connection.
    static let connections = 1_000

    init(_ address: ServerAddress, _ credentials: Credentials, _ configuration: RemoteConfiguration) {
        (self.address, self.credentials) = (address, credentials)
        session = URLSession(
            configuration: .plain(silence: configuration.silence, connections: Self.connections), delegate: streams,
            delegateQueue: nil)
    }

    func close() {
        tasks.close()
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if !wasClosed { session.invalidateAndCancel() }
    }

    /// Returns the signals of a route.
    func stream(_ route: CabinetRoute, for caller: Caller) -> AsyncStream<Void> {
        tasks.stream { [session, streams, address, credentials] onSignal in
            await Self.follow(route, for: caller, session, streams, address, credentials, onSignal: onSignal)
        }
    }

    /// Reads the signals of one connection.
    ///
    /// - Returns: Whether the service of the server was closed, after which nothing follows.
    private static func follow(
        _ route: CabinetRoute, for caller: Caller, _ session: URLSession, _ streams: StreamingDelegate,
        _ address: ServerAddress, _ credentials: Credentials, onSignal: () -> Void
    ) async -> Bool {
        guard
            let request = try? await address.request(
                route, body: nil, for: caller, credentials, id: UUID().uuidString)
        else { return false }
        var reader = SignalStream.Reader()
        do {
            for try await chunk in streams.chunks(of: session.dataTask(with: request)) {
                for event in reader.events(in: chunk) {
                    if event == .end { return true }
                    onSignal()
                }
            }
        } catch StreamingDelegate.Refusal.status(400..<500) {
            // The next read of the observer reports why.
            onSignal()
        } catch {
            // The connection broke; another one follows.
        }
        return false
    }
}

/// Passes on the chunks of responses as they arrive, and refuses redirections.
///
/// It has no superclass: outside of Apple's platforms a session would call the superclass's methods.
final class StreamingDelegate: NSObject, URLSessionDataDelegate, Sendable {
    enum Refusal: Error {
        case status(Int)
    }

    private let continuations = Mutex<[Int: AsyncThrowingStream<Data, any Error>.Continuation]>([:])

    /// Starts a task, and returns the chunks of its response.
    func chunks(of task: URLSessionDataTask) -> AsyncThrowingStream<Data, any Error> {
        let id = task.taskIdentifier
        return AsyncThrowingStream { continuation in
            continuations.withLock { $0[id] = continuation }
            continuation.onTermination = { _ in task.cancel() }
            task.resume()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status == 200 { return completionHandler(.allow) }
        finish(dataTask, Refusal.status(status))
        completionHandler(.cancel)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        continuations.withLock { $0[dataTask.taskIdentifier] }?.yield(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        finish(task, error)
    }

    private func finish(_ task: URLSessionTask, _ error: (any Error)?) {
        let continuation = continuations.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        continuation?.finish(throwing: error)
    }
}
