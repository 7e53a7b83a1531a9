import Cabinet

/// Runs a closure that may never end in a program that must end.
enum TimeLimit {
    /// Runs a closure, and throws if it exceeds its time limit.
    ///
    /// A closure that waits for an event that never happens cannot be stopped: it is cancelled and abandoned.
    static func run(_ limit: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let outcome = Promise<Void>()
        let running = Task {
            do {
                try await body()
                outcome.resolve(.success(()))
            } catch {
                outcome.resolve(.failure(error))
            }
        }
        let waiting = Task {
            try await Task.sleep(for: limit)
            running.cancel()
            let failure = ConformanceFailure(
                message:
                    "The rule did not end within \(limit). It waits for an event that never happens, it loops, or the "
                    + "machine is busy. To find out, give it more time: timeLimit: in a test, --time-limit SECONDS to a program.",
                fileID: nil, line: nil)
            outcome.resolve(.failure(failure))
        }
        defer { waiting.cancel() }
        try await outcome.value()
    }
}
