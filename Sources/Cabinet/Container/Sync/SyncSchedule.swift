import Foundation

/// The times at which an engine works by itself.
struct SyncSchedule: Sendable {
    /// Waits for a number of seconds.
    var wait: @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

    /// Runs a closure soon, in a task of its own.
    var run: @Sendable (_ body: @escaping @Sendable () async -> Void) -> Void = { body in Task { await body() } }

    /// Returns the wait before another attempt, in seconds.
    ///
    /// The store's own wish counts. The first failure of single records costs no wait, because the delegate has repaired
    /// them, as after a conflict. A delegate that does not is slowed down like every other failure.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - failures: The number of failures without a success in between, this one included.
    static func wait(after error: any Error, failures: Int) -> TimeInterval {
        let error = error as? CabinetError
        if let seconds = error?.retryAfterSeconds { return seconds }
        let partial = error?.partialErrorsByItemID.values.compactMap(\.retryAfterSeconds).max()
        if let partial { return partial }
        if failures == 1, error?.code == .partialFailure { return 0 }
        return RetryRule.wait(failures: failures)
    }
}
