import CSQLite
import Foundation

/// Waits for other processes that hold a lock on the file, up to a deadline.
///
/// SQLite's own handler soon sleeps 100 ms between two tries. A process that writes without a pause frees the lock for
/// microseconds only, which such a sleeper would miss for long; short sleeps of random length make it fair.
final class BusyHandler {
    private let timeout: Duration
    private var deadline = ContinuousClock.now
    /// Whether to wait at all.
    var isPatient = true

    init(timeout: Duration) {
        self.timeout = timeout
    }

    /// Makes a connection wait with this handler, which must live as long as the connection.
    func install(on handle: DatabaseHandle) {
        sqlite3_busy_handler(
            handle.pointer,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<BusyHandler>.fromOpaque(context).takeUnretainedValue().waits(try: count) ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Sleeps for a moment.
    ///
    /// - Parameter count: How often this was called for the same lock before.
    /// - Returns: Whether to try again.
    func waits(try count: Int32) -> Bool {
        guard isPatient else { return false }
        let now = ContinuousClock.now
        if count == 0 { deadline = now + timeout }
        guard now < deadline else { return false }
        let longest = min(0.0002 * Double(count + 1), 0.004)
        Thread.sleep(forTimeInterval: .random(in: 0.0001...max(longest, 0.0002)))
        return true
    }
}
