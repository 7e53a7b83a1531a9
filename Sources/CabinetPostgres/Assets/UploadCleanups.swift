import Cabinet
import Synchronization

/// The times at which a backend has removed the abandoned uploads of databases.
final class UploadCleanups: Sendable {
    private let times = Mutex<[DatabaseKey: ContinuousClock.Instant]>([:])

    /// The limit of databases; at the limit, all are forgotten, and cleaned once more.
    static let limit = 4096

    private static let interval = Duration.seconds(24 * 60 * 60)

    /// The number of databases whose times are known.
    var count: Int { times.withLock(\.count) }

    /// Returns whether a database was not cleaned for a day, and records that it is cleaned now.
    func begin(_ database: DatabaseKey, now: ContinuousClock.Instant = .now) -> Bool {
        times.withLock { times in
            if let last = times[database], now - last < Self.interval { return false }
            if times.count >= Self.limit, times[database] == nil { times = [:] }
            times[database] = now
            return true
        }
    }
}
