import Cabinet
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A response of a server with its whole body.
struct ServerResponse: Sendable {
    let head: HTTPURLResponse
    var body = Data()

    var status: Int { head.statusCode }
}

/// Collects responses up to a size, and refuses redirections, which could lead credentials to another server.
///
/// It has no superclass: outside of Apple's platforms a session would call the superclass's methods.
final class ResponseCollector: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange {
        let limit: Int
        let continuation: CheckedContinuation<ServerResponse, any Error>
        var response: ServerResponse?
    }

    private let exchanges = Mutex<[Int: Exchange]>([:])

    /// Starts a task, and returns its response.
    ///
    /// - Parameter limit: The greatest number of bytes of the body.
    func response(of task: URLSessionTask, limit: Int) async throws -> ServerResponse {
        try await withCheckedThrowingContinuation { continuation in
            exchanges.withLock {
                $0[task.taskIdentifier] = Exchange(limit: limit, continuation: continuation)
            }
            task.resume()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let head = response as? HTTPURLResponse
        exchanges.withLock { $0[dataTask.taskIdentifier]?.response = head.map { ServerResponse(head: $0) } }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = exchanges.withLock { exchanges in
            exchanges[dataTask.taskIdentifier]?.response?.body.append(data)
            guard let exchange = exchanges[dataTask.taskIdentifier] else { return false }
            return exchange.response.map { $0.body.count > exchange.limit } ?? false
        }
        if !isTooLong { return }
        finish(
            dataTask,
            CabinetError(.limitExceeded, "The server's response is longer than RemoteConfiguration.responseSize."))
        dataTask.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        finish(task, error)
    }

    private func finish(_ task: URLSessionTask, _ error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        if let response = exchange?.response, error == nil {
            exchange?.continuation.resume(returning: response)
        } else {
            exchange?.continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
    }
}
