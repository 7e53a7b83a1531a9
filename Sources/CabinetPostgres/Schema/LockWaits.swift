/// The waits of a schema change for the locks of tables, and the pauses between them.
///
/// A transaction that waits for the lock of a whole table makes all later ones on that table wait behind it. While a long transaction
/// such as that of `pg_dump` holds the table, the others run during the pauses, which are ten times as long as the waits.
struct LockWaits {
    /// The time limit of the next wait.
    private(set) var limit: Duration

    private static let longest = Duration.milliseconds(100)

    /// Creates the waits of a change.
    ///
    /// - Parameter timeLimit: The time for all of them. If it leaves none for a second wait, the only one is longer.
    init(timeLimit: Duration) {
        limit = .milliseconds(timeLimit < .seconds(1) ? 500 : 50)
    }

    /// Returns the pause after a wait that has timed out, and lengthens the next wait.
    ///
    /// The pause varies, so that processes that wait for the same table do not try together.
    mutating func pause() -> Duration {
        defer { limit = min(limit * 1.5, Self.longest) }
        return min(limit, Self.longest) * Double.random(in: 9...11)
    }
}
