/// Runs a closure that may never end in a program that must end.
enum TimeLimit {
    /// Runs a closure, and throws if it exceeds its time limit.
    ///
    /// A closure that waits for an event that never happens cannot be stopped: it is cancelled and abandoned.
    static func run(_ limit: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let race = Race()
        let running = Task {
            do {
                try await body()
                await race.end(.success(()))
            } catch {
                await race.end(.failure(error))
            }
        }
        let waiting = Task {
            try await Task.sleep(for: limit)
            running.cancel()
            let failure = ConformanceFailure(
                message:
                    "The rule did not end within \(limit): it waits for an event that never happens, or loops.",
                fileID: nil, line: nil)
            await race.end(.failure(failure))
        }
        defer { waiting.cancel() }
        try await race.result()
    }
}

/// Returns the result of the task that ends first.
private actor Race {
    private var end: Result<Void, any Error>?
    private var waiting: CheckedContinuation<Void, any Error>?

    func end(_ result: Result<Void, any Error>) {
        guard end == nil else { return }
        end = result
        waiting?.resume(with: result)
    }

    func result() async throws {
        if let end { return try end.get() }
        try await withCheckedThrowingContinuation { waiting = $0 }
    }
}
