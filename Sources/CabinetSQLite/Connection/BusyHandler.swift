import CSQLite
import Foundation

/// Waits for locks that other processes hold on the file, up to a timeout.
///
/// SQLite's own handler soon sleeps 100 ms between two attempts. A process that writes without a pause releases the
/// lock only for microseconds, which such a handler would miss for long. Short sleeps of random length make waiting
/// fair.
final class BusyHandler {
    private let timeout: Duration
    private var deadline = ContinuousClock.now
    /// Whether the handler waits for locks; otherwise a lock is an error at once.
    var waitsForLocks = true

    init(timeout: Duration) {
        self.timeout = timeout
    }

    /// Installs the handler in a connection.
    ///
    /// The handler must live as long as the connection.
    func install(on handle: DatabaseHandle) {
        sqlite3_busy_handler(
            handle.pointer,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<BusyHandler>.fromOpaque(context).takeUnretainedValue().sleepBeforeRetry(count)
                    ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Sleeps for a short time.
    ///
    /// - Parameter count: The number of earlier calls for the same lock.
    /// - Returns: Whether SQLite should try again.
    func sleepBeforeRetry(_ count: Int32) -> Bool {
        guard waitsForLocks else { return false }
        let now = ContinuousClock.now
        if count == 0 { deadline = now + timeout }
        guard now < deadline else { return false }
        let longest = min(0.0002 * Double(count + 1), 0.004)
        Thread.sleep(forTimeInterval: .random(in: 0.0001...max(longest, 0.0002)))
        return true
    }
}
