import Cabinet
import Synchronization

/// The writes of a file that wait for their turn.
///
/// What has gathered while one transaction was made durable is the next one.
final class WriteQueue: Sendable {
    private struct State {
        var jobs: [any WriteJob] = []
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
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Output
    ) async throws -> Output {
        let job = BodyJob(body)
        return try await withTaskCancellationHandler {
            add(job)
            return try await job.result
        } onCancel: {
            // Not once the body runs: what was begun is finished.
            job.giveUp(Self.cancellation)
        }
    }

    private static var cancellation: CabinetError {
        CabinetError(.operationCancelled, "The task was cancelled before its write began. Nothing has changed.")
    }

    /// The number of writes that wait.
    var count: Int { state.withLock(\.jobs.count) }

    private func add(_ job: any WriteJob) {
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        guard isFirst else { return }
        Task.detached(executorPreference: writer.executor) {
            while let batch = self.nextBatch() { await self.writer.run(batch) }
        }
    }

    private func nextBatch() -> [any WriteJob]? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isDraining = false
                return nil
            }
            let batch = Array(state.jobs.prefix(Self.batchLimit))
            state.jobs.removeFirst(batch.count)
            return batch
        }
    }
}
