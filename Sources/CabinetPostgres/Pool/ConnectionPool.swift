import Cabinet
import Synchronization

/// The connections of a backend.
///
/// A transaction takes one and gives it back; when all are taken, it waits for its turn, for a limited time.
final class ConnectionPool: Sendable {
    private typealias Waiter = CheckedContinuation<Worker, any Error>

    private struct State {
        var workers: [Worker] = []
        /// The workers that nobody uses; the one used last is the next to be used, because its connection is the surest to live.
        var idle: [Worker] = []
        var waiters: [(id: UInt64, waiter: Waiter)] = []
        /// Those that gave up before they began to wait.
        var givenUp: [UInt64: CabinetError] = [:]
        var nextID: UInt64 = 0
    }

    private let state = Mutex(State())
    private let limit: Int
    private let waitLimit: Duration
    private let makeWorker: @Sendable (_ number: Int) -> Worker

    convenience init(_ parameters: ConnectionParameters, _ configuration: PostgresConfiguration) {
        self.init(limit: configuration.maximumConnections, waitLimit: configuration.connectionWaitLimit) {
            Worker(number: $0, parameters: parameters, configuration: configuration)
        }
    }

    init(limit: Int, waitLimit: Duration, makeWorker: @escaping @Sendable (_ number: Int) -> Worker) {
        self.limit = max(limit, 1)
        self.waitLimit = waitLimit
        self.makeWorker = makeWorker
    }

    /// Takes a worker, at once if one is free.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/operationCancelled`` if the task is cancelled meanwhile,
    ///   ``/Cabinet/CabinetError/Code/serviceUnavailable`` if none gets free in time.
    func take() async throws -> Worker {
        let (worker, id) = state.withLock { state -> (Worker?, UInt64) in
            if state.waiters.isEmpty, let worker = state.idle.popLast() { return (worker, 0) }
            if state.workers.count < limit {
                let worker = makeWorker(state.workers.count + 1)
                state.workers.append(worker)
                return (worker, 0)
            }
            state.nextID += 1
            return (nil, state.nextID)
        }
        if let worker { return worker }
        let timer = Task { [waitLimit, limit] in
            try await Task.sleep(for: waitLimit)
            giveUp(id, Self.tooLong(limit))
        }
        defer {
            timer.cancel()
            state.withLock { $0.givenUp[id] = nil }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                enqueue(waiter, id: id)
            }
        } onCancel: {
            giveUp(id, Self.cancellation)
        }
    }

    /// Gives a worker back.
    func giveBack(_ worker: Worker) {
        let waiter = state.withLock { state -> Waiter? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst().waiter }
            state.idle.append(worker)
            return nil
        }
        waiter?.resume(returning: worker)
    }

    /// Closes all connections, which nobody uses any more.
    func close() async {
        for worker in state.withLock(\.workers) {
            await withTaskExecutorPreference(worker.executor) { worker.close() }
        }
    }

    /// The round trips of all connections, for tests.
    ///
    /// Ask while nobody uses one.
    var roundTrips: Int { state.withLock(\.workers).reduce(0) { $0 + $1.roundTrips } }

    /// The statements that were sent over all connections, for tests.
    ///
    /// Ask while nobody uses one.
    var sentCount: Int { state.withLock(\.workers).reduce(0) { $0 + $1.sentCount } }

    private func enqueue(_ waiter: Waiter, id: UInt64) {
        let result = state.withLock { state -> Result<Worker, any Error>? in
            if let error = state.givenUp.removeValue(forKey: id) { return .failure(error) }
            // One may have been given back meanwhile.
            if let worker = state.idle.popLast() { return .success(worker) }
            state.waiters.append((id, waiter))
            return nil
        }
        if let result { waiter.resume(with: result) }
    }

    private func giveUp(_ id: UInt64, _ error: CabinetError) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                // It has its worker, or does not wait yet; numbers are never used again.
                state.givenUp[id] = error
                return nil
            }
            return state.waiters.remove(at: index).waiter
        }
        waiter?.resume(throwing: error)
    }

    private static func tooLong(_ limit: Int) -> CabinetError {
        CabinetError(
            .serviceUnavailable,
            "All \(limit) connections to the PostgreSQL server were in use for too long. Try again, or raise "
                + "'maximumConnections'.", retryAfterSeconds: 1)
    }

    static var cancellation: CabinetError {
        CabinetError(.operationCancelled, "The task was cancelled before its transaction began. Nothing has changed.")
    }
}
