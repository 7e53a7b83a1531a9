import Cabinet

/// The delays before a transaction is run again, and the limit after which it fails.
///
/// The delays grow and are randomized, so that transactions that failed together do not retry together.
struct RetryClock {
    private let configuration: PostgresConfiguration
    private let start = ContinuousClock.now
    private var conflicts = 0
    private var losses = 0

    init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
    }

    /// Waits after a failure.
    ///
    /// - Parameter isReachable: Whether the server was ever reached; if it never was, this does not wait.
    /// - Throws: The failure's error if waiting does not help or the time limit is reached;
    ///   ``/Cabinet/CabinetError/Code/operationCancelled`` if the task is cancelled.
    mutating func wait(after failure: PostgresFailure, isReachable: Bool = true) async throws {
        let elapsed = ContinuousClock.now - start
        let pause: Duration
        if failure.isConflict {
            guard elapsed < configuration.busyTimeout else { throw failure.error }
            conflicts += 1
            pause = Self.pause(.milliseconds(2), doubled: conflicts, limit: .milliseconds(500))
        } else {
            guard failure.isTransient, isReachable || !failure.state.isEmpty,
                elapsed < configuration.reconnectionTimeLimit
            else { throw failure.error }
            losses += 1
            pause = Self.pause(.milliseconds(20), doubled: losses, limit: .seconds(1))
        }
        do {
            try await Task.sleep(for: pause)
        } catch {
            throw CabinetError(
                .operationCancelled, "The task was cancelled before its transaction began. Nothing has changed.")
        }
    }

    private static func pause(_ first: Duration, doubled count: Int, limit: Duration) -> Duration {
        let whole = min(first * (1 << min(count, 16)), limit)
        return whole * Double.random(in: 0.5...1)
    }
}

extension PostgresFailure {
    /// Whether the same transaction may succeed soon, over a new connection.
    var isTransient: Bool { isLoss || state == "53300" || state == "26000" }
}
