import Cabinet

/// The timelines of a database.
///
/// An older copy of a database is put back on a server that is started for it (a base backup, a snapshot of the disk, a standby that takes
/// over), or as other tables (a dump). Each write compares both with what the last timeline began on, and begins another one if they differ.
extension DatabaseView {
    /// The most timelines of a database to remember.
    private static let timelineLimit = 10_000

    /// Returns the timelines that numbers were reserved on.
    func timelines(of numbers: [Int64]) throws -> [Int64?] {
        guard let row, hasTimelines else { return Array(repeating: nil, count: numbers.count) }
        let found = try query(
            """
            SELECT (SELECT id FROM \(name("cabinet_timeline")) WHERE database = $1 AND first <= n \
            ORDER BY first DESC LIMIT 1) FROM unnest($2) WITH ORDINALITY AS u(n, position) ORDER BY position
            """, [.integer(row.id), .integers(numbers)])
        return zip(numbers, found.rows).map { number, found in
            if let new = row.newTimeline, number >= new.first { return new.id }
            return found.integer(0)
        }
    }

    /// Begins a timeline with a number that is about to be reserved, unless the database is still where the last one began.
    func beginTimeline(at number: Int64) {
        guard let row, !row.isOnTimeline, row.newTimeline == nil else { return }
        self.row?.newTimeline = (number, .random(in: .min ... .max))
    }

    /// Enqueues what writes the timeline that this transaction begins, if it begins one, and removes the oldest if there are too many.
    func writeTimeline() throws {
        guard let id = row?.id, let new = row?.newTimeline else { return }
        let table = name("cabinet_timeline")
        // The timelines that are removed are replaced by one whose ID no token has.
        try connection.enqueue(
            """
            WITH removed AS (DELETE FROM \(table) WHERE database = $1 AND first > 0 AND first <= (SELECT first \
            FROM \(table) WHERE database = $1 ORDER BY first DESC LIMIT 1 OFFSET \(Self.timelineLimit)) RETURNING 1) \
            INSERT INTO \(table) SELECT $1, 0, $2 WHERE EXISTS (SELECT 1 FROM removed) \
            ON CONFLICT (database, first) DO UPDATE SET id = excluded.id
            """, [.integer(id), .integer(.random(in: .min ... .max))], isPrepared: false)
        try connection.enqueue(
            """
            INSERT INTO \(table) VALUES ($1, $2, $3) ON CONFLICT (database, first) DO UPDATE SET id = excluded.id
            """, [.integer(id), .integer(new.first), .integer(new.id)], isPrepared: false)
        try connection.enqueue(
            "UPDATE \(name("cabinet_database")) SET origin = \(DatabaseRow.origin(server: "$2")) WHERE id = $1",
            [.integer(id), .text(connection.origin)], isPrepared: false)
        row?.newTimeline = nil
        row?.isOnTimeline = true
    }
}
