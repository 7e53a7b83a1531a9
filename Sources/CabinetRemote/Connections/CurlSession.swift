#if canImport(FoundationNetworking)
import CCurl
import Cabinet
import Foundation
import FoundationNetworking
import Synchronization

/// Connections by libcurl, with a thread that carries out all requests.
final class CurlSession: RemoteSession {
    private let thread: CurlThread

    init(idleTimeLimit: Duration, connections: Int) {
        thread = CurlThread(idleTimeLimit: idleTimeLimit, connections: connections)
    }

    deinit { thread.close() }

    var isClosed: Bool { thread.isClosed }

    func close() { thread.close() }

    func receive(
        _ request: URLRequest, from file: URL?, isRepeatable: Bool, until end: ContinuousClock.Instant?,
        head: @escaping @Sendable (ResponseHead) throws -> Void,
        body: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        let id = thread.nextID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                thread.perform(
                    CurlRequest(
                        id: id, request: request, file: file, isRepeatable: isRepeatable, lastStart: end, head: head,
                        body: body, end: continuation))
                // The handler may have run before the request began.
                if Task.isCancelled { thread.cancel(id) }
            }
        } onCancel: {
            thread.cancel(id)
        }
    }
}

/// A request, and the functions that take its response.
struct CurlRequest: Sendable {
    let id: UInt64
    let request: URLRequest
    let file: URL?
    let isRepeatable: Bool
    /// The time after which the body is not sent from its beginning.
    let lastStart: ContinuousClock.Instant?
    let head: @Sendable (ResponseHead) throws -> Void
    let body: @Sendable (Data) throws -> Void
    let end: CheckedContinuation<Void, any Error>
}
#endif
