import Cabinet
import Synchronization

/// A write that waits to be run together with others.
protocol WriteJob: AnyObject, Sendable {
    /// Makes the job begin, from when on it cannot be cancelled.
    ///
    /// - Returns: Whether to run it; `false` if it was cancelled.
    func begin() -> Bool

    /// Runs the body, and keeps its result until the job is finished.
    ///
    /// - Returns: What the body threw, if it threw.
    func run(in transaction: SQLiteTransaction) async -> (any Error)?

    /// Ends the job: its caller goes on, with the result of the body or with an error.
    func finish(_ error: (any Error)?)
}

/// A write with a body that returns something.
final class BodyJob<Output: Sendable>: WriteJob {
    private struct State {
        var isCancelled = false
        var hasBegun = false
        var output: Output?
        var continuation: CheckedContinuation<Output, any Error>?
    }

    private let body: @Sendable (any StorageTransaction) async throws -> Output
    private let state = Mutex(State())

    init(_ body: @escaping @Sendable (any StorageTransaction) async throws -> Output) {
        self.body = body
    }

    /// Says where the result goes.
    ///
    /// - Returns: Whether to run the job; `false` if it was cancelled.
    func attach(_ continuation: CheckedContinuation<Output, any Error>) -> Bool {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return state.isCancelled
        }
        if isCancelled { continuation.resume(throwing: Self.cancellation) }
        return !isCancelled
    }

    /// Ends the job unless it has begun.
    func cancel() {
        let continuation = state.withLock { state -> CheckedContinuation<Output, any Error>? in
            guard !state.hasBegun else { return nil }
            state.isCancelled = true
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(throwing: Self.cancellation)
    }

    func begin() -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.hasBegun = true }
            return !state.isCancelled
        }
    }

    func run(in transaction: SQLiteTransaction) async -> (any Error)? {
        do {
            let output = try await body(transaction)
            state.withLock { $0.output = output }
            return nil
        } catch {
            return error
        }
    }

    func finish(_ error: (any Error)?) {
        let (continuation, output) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.continuation, state.output)
        }
        if let error {
            continuation?.resume(throwing: error)
        } else if let output {
            continuation?.resume(returning: output)
        } else {
            continuation?.resume(throwing: CabinetError(.internalError, "The write was finished before it was run."))
        }
    }

    private static var cancellation: CabinetError {
        CabinetError(.operationCancelled, "The task was cancelled before its write began. Nothing has changed.")
    }
}
