import Cabinet
import Synchronization

/// The deadlines of the requests under way, which one timer watches for all of them.
///
/// A timer of each request would cost more than a short request.
final class RequestDeadlines: Sendable {
    private struct Entry {
        let end: ContinuousClock.Instant
        let task: UnsafeCurrentTask
        var isOver = false
    }

    // Unchecked, and safe: a task may be cancelled by any thread while it exists, and its entry is removed under the lock before the
    // task ends.
    private struct State: @unchecked Sendable {
        var entries: [UInt64: Entry] = [:]
        var lastID: UInt64 = 0
        var isWatched = false
    }

    private let limit: Duration
    private let state = Mutex(State())

    /// Creates deadlines.
    ///
    /// - Parameter limit: The time of a request, which is cancelled at most an eighth of it later.
    init(limit: Duration) {
        self.limit = limit
    }

    /// Runs a closure, and cancels it when its time is over.
    func run<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output) async throws -> Output {
        // A task of its own: the task of the request has an answer to give after it.
        async let output = runUntilEnd(body)
        return try await output
    }

    private func runUntilEnd<Output: Sendable>(_ body: @Sendable () async throws -> Output) async throws -> Output {
        let id = withUnsafeCurrentTask { $0.map(begin) }
        do {
            let output = try await body()
            // A commit that has begun is finished.
            _ = end(id)
            return output
        } catch {
            let isOver = end(id)
            // Any other error is that of a request that has failed by itself, and may have changed something.
            guard isOver, error is CancellationError || (error as? CabinetError)?.code == .operationCancelled else {
                throw error
            }
            // A cancelled request has changed nothing, or nothing that a repetition changes again.
            throw CabinetError(
                .serviceUnavailable, "The request took longer than \(limit), and was cancelled. Try again.",
                retryAfterSeconds: 1)
        }
    }

    private func begin(_ task: UnsafeCurrentTask) -> UInt64 {
        let (id, isFirst) = state.withLock { state in
            state.lastID += 1
            state.entries[state.lastID] = Entry(end: .now + limit, task: task)
            defer { state.isWatched = true }
            return (state.lastID, !state.isWatched)
        }
        if isFirst { watch() }
        return id
    }

    /// Returns whether the deadline is over.
    private func end(_ id: UInt64?) -> Bool {
        state.withLock { state in
            id.flatMap { state.entries.removeValue(forKey: $0) }?.isOver == true
        }
    }

    /// Checks the deadlines until none is left.
    private func watch() {
        Task.detached { [weak self, limit] in
            repeat { try? await Task.sleep(for: limit / 8) } while self?.cancelLate() == true
        }
    }

    /// Cancels the tasks whose time is over; returns whether others are left.
    private func cancelLate() -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            for (id, entry) in state.entries where !entry.isOver && entry.end <= now {
                state.entries[id]?.isOver = true
                entry.task.cancel()
            }
            state.isWatched = !state.entries.isEmpty
            return state.isWatched
        }
    }
}
