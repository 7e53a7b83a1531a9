import Cabinet
import Foundation
import Synchronization

/// The activities of a mirror, from which its status follows, and the readers of the status.
final class MirrorState: Sendable {
    private struct Content {
        var parts: [DatabaseScope: Part]
        var waits: [ObjectIdentifier: (until: Date, error: CabinetError)] = [:]
        /// The loops that work, whose end is that of a success or the begin of a wait.
        var workingLoops: Set<ObjectIdentifier> = []
        var streams: [Int: AsyncStream<MirrorStatus>.Continuation] = [:]
        var nextStream = 0
        var isClosed = false
    }

    /// The activities in one database.
    private struct Part {
        var counts: PendingCounts?
        /// The last number of the store when the counts were read.
        var countNumber: Int64 = 0
        /// The number of local requests under way that may change something.
        var requests = 0
        /// The number of those that have ended, now and when the counts were read.
        var (endedRequests, countedRequests) = (0, 0)
        var fetched: Int?
        var fetchTotal: Int?
        var sent: Int?
        var lacksAssets = false

        var pending: Int { (counts?.pending ?? 0) + (requests > 0 || endedRequests != countedRequests ? 1 : 0) }
    }

    private let content: Mutex<Content>

    /// Creates the state of some databases.
    init(_ scopes: [DatabaseScope]) {
        content = Mutex(Content(parts: Dictionary(uniqueKeysWithValues: scopes.map { ($0, Part()) })))
    }

    /// The status.
    var status: MirrorStatus { content.withLock { Self.status(of: $0) } }

    private static func status(of content: Content) -> MirrorStatus {
        func sum(_ number: (Part) -> Int?) -> Int? {
            let numbers = content.parts.values.compactMap(number)
            return numbers.isEmpty ? nil : numbers.reduce(0, +)
        }
        let pending = sum(\.pending) ?? 0
        if let sent = sum(\.sent) { return .sending(sent, of: max(pending + sent, 1)) }
        if let fetched = sum(\.fetched) {
            return .fetching(fetched, of: sum(\.fetchTotal).map { max($0, fetched) })
        }
        if let wait = content.waits.values.min(by: { $0.until < $1.until }) {
            return .waiting(until: wait.until, pending: pending, wait.error)
        }
        if content.parts.values.contains(where: { $0.counts == nil }) { return .starting }
        if let count = sum(\.counts?.setAside), count > 0 { return .setAside(count, pending: pending) }
        if pending > 0 { return .pending(pending) }
        if !content.workingLoops.isEmpty { return .fetching(0, of: nil) }
        return content.parts.values.contains(where: \.lacksAssets) ? .missingAssets : .idle
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

    private func change(_ scope: DatabaseScope, _ body: (inout Part) -> Void) {
        change { body(&$0.parts[scope, default: Part()]) }
    }

    /// Records that a request begins that may change something, so that the status is not idle from now on.
    func beginChange(in scope: DatabaseScope) { change(scope) { $0.requests += 1 } }

    /// Records that such a request has ended.
    func endChange(in scope: DatabaseScope) {
        change(scope) { part in
            part.requests -= 1
            part.endedRequests += 1
        }
    }

    /// Returns the number of requests that have ended, which the counts that are read next include.
    func endedRequests(in scope: DatabaseScope) -> Int { content.withLock { $0.parts[scope]?.endedRequests ?? 0 } }

    /// Records the numbers of pending changes.
    ///
    /// - Parameters:
    ///   - state: The numbers, which are ignored if later ones are known: a fetch and a send do not wait for each other.
    ///   - scope: The database.
    ///   - requests: The number of requests that had ended before they were read.
    func count(_ state: PendingState, in scope: DatabaseScope, after requests: Int) {
        change(scope) { part in
            if part.counts != nil, state.number < part.countNumber { return }
            (part.counts, part.countNumber, part.lacksAssets) = (state.counts, state.number, state.lacksAssets)
            part.countedRequests = max(part.countedRequests, requests)
        }
    }

    /// Records the number of changes of a database that were fetched so far; `nil` at the end.
    ///
    /// - Parameters:
    ///   - count: The number.
    ///   - total: The number of all changes to fetch; `nil` if it is unknown.
    ///   - scope: The database.
    func fetched(_ count: Int?, of total: Int? = nil, in scope: DatabaseScope) {
        change(scope) { ($0.fetched, $0.fetchTotal) = (count, total) }
    }

    /// Records the number of changes of a database that were sent so far; `nil` at the end.
    func sent(_ count: Int?, in scope: DatabaseScope) { change(scope) { $0.sent = count } }

    /// Records that a loop begins to work.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - isFetch: Whether it fetches, so that the status is not idle before its end.
    func begins(_ loop: ObjectIdentifier, isFetch: Bool) {
        change { content in
            content.waits[loop] = nil
            if isFetch { content.workingLoops.insert(loop) }
        }
    }

    /// Records that a loop has worked, and waits after a failure.
    func ends(_ loop: ObjectIdentifier, waiting wait: (until: Date, error: CabinetError)?) {
        change { content in
            content.workingLoops.remove(loop)
            content.waits[loop] = wait
        }
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
