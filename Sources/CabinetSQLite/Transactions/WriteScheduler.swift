import Cabinet
import Synchronization

/// The queue of writes of a file.
///
/// Writes that arrive while one transaction is being committed form the next transaction.
final class WriteScheduler: Sendable {
    private struct State {
        var writes: [WriteTask<SQLiteTransaction>] = []
        var isDraining = false
    }

    private let state = Mutex(State())
    private let writer: Writer

    /// The largest number of writes in one transaction.
    private static let batchLimit = 256

    init(writer: Writer) {
        self.writer = writer
    }

    /// Runs a write transaction together with other queued ones, and returns when it is durable.
    func write<Output: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction) async throws -> Output
    ) async throws -> Output {
        try await WriteTask.run(body) { add($0) }
    }

    /// The number of queued writes.
    var count: Int { state.withLock(\.writes.count) }

    private func add(_ write: WriteTask<SQLiteTransaction>) {
        let isFirst = state.withLock { state in
            state.writes.append(write)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        guard isFirst else { return }
        Task.detached(executorPreference: writer.executor) {
            while let batch = self.nextBatch() { await self.writer.run(batch) }
        }
    }

    private func nextBatch() -> [WriteTask<SQLiteTransaction>]? {
        state.withLock { state in
            guard !state.writes.isEmpty else {
                state.isDraining = false
                return nil
            }
            let batch = Array(state.writes.prefix(Self.batchLimit))
            state.writes.removeFirst(batch.count)
            return batch
        }
    }
}
