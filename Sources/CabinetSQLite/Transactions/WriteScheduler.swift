import Cabinet
import Synchronization

/// The writes of a file that wait for their turn.
///
/// The writes that arrive while one transaction is made durable are the next one.
final class WriteScheduler: Sendable {
    private struct State {
        var writes: [WriteTask<SQLiteTransaction>] = []
        var isDraining = false
    }

    private let state = Mutex(State())
    private let writer: Writer

    /// The most writes that are committed together.
    private static let batchLimit = 256

    init(writer: Writer) {
        self.writer = writer
    }

    /// Runs a closure that changes the file, together with others that wait, and returns when that is durable.
    func write<Output: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction) async throws -> Output
    ) async throws -> Output {
        try await WriteTask.run(body) { add($0) }
    }

    /// The number of writes that wait.
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
