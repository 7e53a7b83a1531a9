import Cabinet

/// A cursor, whose rows are fetched in batches.
private struct RowCursor {
    let name: String
    /// The number of rows to fetch next.
    ///
    /// The first rows arrive with the answer to the declaration. Later batches are sized by the memory limit.
    var size = 50

    private static let largestFetch = 2000
    /// The memory limit of the rows that are fetched at once, in bytes.
    private static let fetchMemory = 4 << 20

    var fetching: String { "FETCH \(size) FROM \(name)" }

    /// Passes rows to a closure until it returns `false`.
    ///
    /// - Returns: Whether there may be more rows, which the closure takes.
    mutating func pass(_ rows: QueryResult, to body: (QueryRow) throws -> Bool) throws -> Bool {
        for row in rows.rows {
            guard try body(row) else { return false }
        }
        guard rows.count == size else { return false }
        size = min(max(Self.fetchMemory / max(rows.memory / size, 1), 1), Self.largestFetch)
        // Fast answers never wait, so waiting does not detect a cancellation.
        try WorkMeter.current?.checkCancellation()
        return true
    }
}

/// Rows in batches.
extension Connection {
    /// Passes the rows of a statement to a closure one by one, fetching them in batches, until it returns `false`.
    func forEachRow(
        of sql: String, _ parameters: [SQLValue], _ body: (QueryRow) throws -> Bool
    ) async throws {
        var cursor = try declareCursor(for: sql, parameters)
        while try cursor.pass(try await answer(cursor.fetching, isPrepared: false), to: body) {}
        try close(cursor)
    }

    /// Passes the rows of a statement to a closure, and blocks the thread until they have arrived.
    func forEachRowBlocking(of sql: String, _ parameters: [SQLValue], _ body: (QueryRow) throws -> Bool) throws {
        var cursor = try declareCursor(for: sql, parameters)
        while try cursor.pass(try query(cursor.fetching, isPrepared: false), to: body) {}
        try close(cursor)
    }

    private func declareCursor(for sql: String, _ parameters: [SQLValue]) throws -> RowCursor {
        try WorkMeter.current?.checkCancellation()
        cursorCount += 1
        let cursor = RowCursor(name: "cabinet_cursor_\(cursorCount)")
        try enqueue("DECLARE \(cursor.name) NO SCROLL CURSOR FOR \(sql)", parameters, isPrepared: false)
        return cursor
    }

    private func close(_ cursor: RowCursor) throws {
        try enqueue("CLOSE \(cursor.name)", isPrepared: false)
    }
}
