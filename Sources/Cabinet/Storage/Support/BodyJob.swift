import Synchronization

/// A write with a body that returns something.
package final class BodyJob<Output: Sendable>: WriteJob {
    private struct State {
        var hasBegun = false
        /// What to end the job with as soon as it pauses.
        var complaint: CabinetError?
        var output: Output?
        var continuation: CheckedContinuation<Output, any Error>?
        /// How the job has ended.
        var result: Result<Output, any Error>?
    }

    private let body: @Sendable (any StorageTransaction) async throws -> Output
    private let state = Mutex(State())

    package init(_ body: @escaping @Sendable (any StorageTransaction) async throws -> Output) {
        self.body = body
    }

    /// The result, as soon as the job has ended.
    package var result: Output {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.continuation = continuation }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }

    package func giveUp(_ error: CabinetError) {
        state.withLock { $0.complaint = $0.complaint ?? error }
        end { $0.hasBegun ? nil : .failure(error) }
    }

    package func begin() -> Bool {
        state.withLock { state in
            if state.result == nil { state.hasBegun = true }
            return state.result == nil
        }
    }

    package func pause() {
        state.withLock { state in
            state.hasBegun = false
            state.output = nil
        }
        end { $0.complaint.map(Result.failure) }
    }

    package func run(in transaction: any StorageTransaction) async -> (any Error)? {
        do {
            let output = try await body(transaction)
            state.withLock { $0.output = output }
            return nil
        } catch {
            return error
        }
    }

    package func finish(_ error: (any Error)?) {
        end { state in
            if let error { return .failure(error) }
            guard let output = state.output else {
                return .failure(CabinetError(.internalError, "The write was finished before it was run."))
            }
            return .success(output)
        }
    }

    /// Ends the job, unless it has ended or the result is `nil`.
    private func end(_ makeResult: (State) -> Result<Output, any Error>?) {
        let ended = state.withLock { state -> (CheckedContinuation<Output, any Error>, Result<Output, any Error>)? in
            guard state.result == nil, let result = makeResult(state) else { return nil }
            state.result = result
            defer { state.continuation = nil }
            return state.continuation.map { ($0, result) }
        }
        if let (continuation, result) = ended { continuation.resume(with: result) }
    }
}
