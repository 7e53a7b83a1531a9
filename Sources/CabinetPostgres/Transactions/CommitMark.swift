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

extension CommitMark {
    /// The statement that leaves a mark, with the parameters `$1` for the database, `$2` for the number and `$3` for the mark.
    static func insertion(into table: String) -> String {
        "INSERT INTO \(table) (database, number, mark, date) VALUES ($1, $2, $3, \(now))"
    }

    fileprivate static let now = "extract(epoch FROM clock_timestamp())::double precision"
}

extension TransactionContext {
    /// Removes, from time to time, some marks that nobody asks for any more.
    func removeMarks(before mark: CommitMark) throws {
        guard mark.number.isMultiple(of: CommitMark.removalInterval) else { return }
        let table = name("cabinet_write")
        try connection.enqueue(
            """
            DELETE FROM \(table) WHERE database = $1 AND number IN \
            (SELECT number FROM \(table) WHERE database = $1 ORDER BY number LIMIT \(2 * CommitMark.removalInterval)) \
            AND date < \(CommitMark.now) - \(CommitMark.retention)
            """, [.integer(try writableID())])
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
