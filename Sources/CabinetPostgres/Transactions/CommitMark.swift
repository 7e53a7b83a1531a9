import Cabinet

/// A mark that a write stores in `cabinet_write`, which shows whether it was committed if the answer is lost.
///
/// The ID of a PostgreSQL transaction is not enough, because it may be reused after a crash. The number of a write is also
/// reused if the write was not committed, but then with another mark.
struct CommitMark: Sendable {
    /// The number of the database's writes, including this one.
    let number: Int64
    /// A random number that distinguishes writes with the same number.
    let mark = Int64.random(in: .min ... .max)

    /// The time for which marks are kept, in seconds.
    static let retention = 600
    /// The number of writes between removals of old marks; a removal is limited to twice as many marks, which keeps it short.
    static let removalInterval: Int64 = 16
}

extension CommitMark {
    /// Returns the statement that stores a mark, with the parameters `$1` for the database, `$2` for the number and `$3` for
    /// the mark.
    static func insertion(into table: String) -> String {
        "INSERT INTO \(table) (database, number, mark, date) VALUES ($1, $2, $3, \(now))"
    }

    fileprivate static let now = "extract(epoch FROM clock_timestamp())::double precision"
}

extension TransactionContext {
    /// Removes some expired marks, at every few writes.
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

    /// Returns whether a write was committed; `nil` if its mark has expired.
    func knows(_ mark: CommitMark) throws -> Bool? {
        guard let row else { return false }
        let found = try query(
            "SELECT mark FROM \(name("cabinet_write")) WHERE database = $1 AND number = $2",
            [.integer(row.id), .integer(mark.number)])
        if let known = found.first?.integer(0) { return known == mark.mark }
        return row.writes < mark.number ? false : nil
    }
}
