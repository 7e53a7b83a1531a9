import Cabinet

/// How long to wait before a transaction is run again, and when to give up.
///
/// The pauses grow and are never quite the same, so that those who have failed together do not come back together.
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
    /// - Parameter isReachable: Whether the server was ever reached; what never was is not waited for.
    /// - Throws: The failure's error if it is no use waiting, or was waited long enough;
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
    /// Whether the same may succeed soon, over a new connection.
    var isTransient: Bool { isLoss || state == "53300" || state == "26000" }
}
