import Cabinet
import Synchronization

/// The queue of writes of a file.
///
/// If no other write is active, a write runs in its caller's task, which moves to the writer's thread and back. Writes
/// that arrive while one transaction is being committed form the next transaction. They run in a task of their own, so
/// that cancelling one caller does not affect the others.
final class WriteScheduler: Sendable {
    private struct State {
        var writes: [WriteTask<SQLiteTransaction>] = []
        /// Whether a write has the writer.
        var isWriting = false
    }

    private let state = Mutex(State())
    private let writer: Writer

    /// The largest number of writes in one transaction.
    private static let batchLimit = 256

    init(writer: Writer) {
        self.writer = writer
    }

    /// Runs a write transaction, alone or together with other queued ones, and returns when it is durable.
    func write<Output: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction) async throws -> Output
    ) async throws -> Output {
        guard begin(nil) else { return try await WriteTask.run(body) { if self.begin($0) { self.drain() } } }
        return try await withTaskExecutorPreference(writer.executor) {
            defer { if !self.end() { self.drain() } }
            return try await self.writer.run(body)
        }
    }

    /// The number of queued writes.
    var count: Int { state.withLock(\.writes.count) }

    /// Takes the writer, unless a write has it.
    ///
    /// - Parameter write: A write to append to the queue, or `nil`.
    /// - Returns: Whether the caller has the writer now.
    private func begin(_ write: WriteTask<SQLiteTransaction>?) -> Bool {
        state.withLock { state in
            if let write { state.writes.append(write) }
            defer { state.isWriting = true }
            return !state.isWriting
        }
    }

    /// Releases the writer, unless writes are queued.
    ///
    /// - Returns: Whether the writer is released.
    private func end() -> Bool {
        state.withLock { state in
            state.isWriting = !state.writes.isEmpty
            return !state.isWriting
        }
    }

    /// Runs the queued writes, including those that arrive while it runs, and releases the writer.
    private func drain() {
        Task.detached(executorPreference: writer.executor) {
            repeat { await self.writer.run(self.nextBatch()) } while !self.end()
        }
    }

    private func nextBatch() -> [WriteTask<SQLiteTransaction>] {
        state.withLock { state in
            let batch = Array(state.writes.prefix(Self.batchLimit))
            state.writes.removeFirst(batch.count)
            return batch
        }
    }
}
