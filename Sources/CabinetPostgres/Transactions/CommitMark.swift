import Cabinet

/// What a write leaves in `cabinet_write`, so that it can be found out whether it was committed when the answer was lost.
///
/// The number of a PostgreSQL transaction would not do: after a crash it may be given out again. The number of a write is given out
/// again too, if the write was not committed; then another mark stands under it.
struct CommitMark: Sendable {
    /// How many writes of the database there are with this one.
    let number: Int64
    /// What no other write leaves under this number.
    let mark = Int64.random(in: .min ... .max)

    /// For how long marks are kept, in seconds.
    static let retention = 600
    /// After how many writes old marks are removed, and twice as many at most, so that a write never has to remove many.
    static let removalInterval: Int64 = 16
}

extension DatabaseView {
    /// Leaves the mark of a write, and removes some that nobody asks for any more.
    func leave(_ mark: CommitMark) throws {
        let table = name("cabinet_write")
        let now = "extract(epoch FROM clock_timestamp())::double precision"
        let databaseID = SQLValue.integer(try writableID())
        try connection.enqueue(
            "INSERT INTO \(table) (database, number, mark, date) VALUES ($1, $2, $3, \(now))",
            [databaseID, .integer(mark.number), .integer(mark.mark)])
        guard mark.number.isMultiple(of: CommitMark.removalInterval) else { return }
        try connection.enqueue(
            """
            DELETE FROM \(table) WHERE database = $1 AND number IN \
            (SELECT number FROM \(table) WHERE database = $1 ORDER BY number LIMIT \(2 * CommitMark.removalInterval)) \
            AND date < \(now) - \(CommitMark.retention)
            """, [databaseID])
    }

    /// Whether a write was committed; `nil` if it is too long ago to tell.
    func knows(_ mark: CommitMark) throws -> Bool? {
        guard let row else { return false }
        let found = try query(
            "SELECT mark FROM \(name("cabinet_write")) WHERE database = $1 AND number = $2",
            [.integer(row.id), .integer(mark.number)])
        if let known = found.first?.integer(0) { return known == mark.mark }
        return row.writes < mark.number ? false : nil
    }
}
