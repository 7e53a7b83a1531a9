import Cabinet

/// Lets something that may never end take part in a program that must.
enum TimeLimit {
    /// Runs a closure, and throws if it takes longer than it may.
    ///
    /// A closure that waits for what never comes cannot be stopped: it is cancelled, and left behind.
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
                    "The rule did not end within \(limit): something waits for ever, or goes round in circles.",
                fileID: nil, line: nil)
            outcome.resolve(.failure(failure))
        }
        defer { waiting.cancel() }
        try await outcome.value()
    }
}
