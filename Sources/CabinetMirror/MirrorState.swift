import Cabinet
import Foundation
import Synchronization

/// The activities of a mirror, from which its status follows, and the readers of the status.
final class MirrorState: Sendable {
    private struct Content {
        var counts: PendingCounts?
        /// The number of local requests under way that may change something.
        var requests = 0
        /// The number of those that have ended, now and when the counts were read.
        var (endedRequests, countedRequests) = (0, 0)
        var fetched: Int?
        var sent: Int?
        var waits: [ObjectIdentifier: (until: Date, error: CabinetError)] = [:]
        var streams: [Int: AsyncStream<MirrorStatus>.Continuation] = [:]
        var nextStream = 0
        var isClosed = false
    }

    private let content = Mutex(Content())

    /// The status.
    var status: MirrorStatus { content.withLock { Self.status(of: $0) } }

    private static func status(of content: Content) -> MirrorStatus {
        let pending =
            (content.counts?.pending ?? 0)
            + (content.requests > 0 || content.endedRequests != content.countedRequests ? 1 : 0)
        if let sent = content.sent { return .sending(sent, of: max(pending + sent, 1)) }
        if let fetched = content.fetched { return .fetching(fetched) }
        if let wait = content.waits.values.min(by: { $0.until < $1.until }) {
            return .waiting(until: wait.until, pending: pending, wait.error)
        }
        guard let counts = content.counts else { return .starting }
        if counts.setAside > 0 { return .setAside(counts.setAside, pending: pending) }
        return pending > 0 ? .pending(pending) : .idle
    }

    /// Returns the statuses from now on, the latest one for a reader that is busy.
    func statuses() -> AsyncStream<MirrorStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MirrorStatus.self, bufferingPolicy: .bufferingNewest(1))
        let id: Int? = content.withLock { content in
            if content.isClosed { return nil }
            content.nextStream += 1
            content.streams[content.nextStream] = continuation
            continuation.yield(Self.status(of: content))
            return content.nextStream
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.content.withLock { _ = $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    private func change(_ body: (inout Content) -> Void) {
        content.withLock { content in
            body(&content)
            let status = Self.status(of: content)
            for stream in content.streams.values { stream.yield(status) }
        }
    }

    /// Records that a request begins that may change something, so that the status is not idle from now on.
    func beginChange() { change { $0.requests += 1 } }

    /// Records that such a request has ended.
    func endChange() {
        change { content in
            content.requests -= 1
            content.endedRequests += 1
        }
    }

    /// The number of requests that have ended, which the counts that are read next include.
    var endedRequests: Int { content.withLock { $0.endedRequests } }

    /// Records the numbers of pending changes.
    ///
    /// - Parameters:
    ///   - counts: The numbers.
    ///   - requests: The number of requests that had ended before they were read.
    func count(_ counts: PendingCounts, after requests: Int) {
        change { content in
            content.counts = counts
            content.countedRequests = requests
        }
    }

    /// Records the number of changes that were fetched so far; `nil` at the end.
    func fetched(_ count: Int?) { change { $0.fetched = count } }

    /// Records the number of changes that were sent so far; `nil` at the end.
    func sent(_ count: Int?) { change { $0.sent = count } }

    /// Records that a loop waits; `nil` at the end.
    func waits(_ loop: ObjectIdentifier, _ wait: (until: Date, error: CabinetError)?) {
        change { $0.waits[loop] = wait }
    }

    /// Ends the streams.
    func close() {
        let streams = content.withLock { content in
            content.isClosed = true
            defer { content.streams = [:] }
            return Array(content.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}
