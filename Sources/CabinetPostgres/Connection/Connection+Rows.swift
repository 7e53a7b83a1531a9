import Cabinet

/// Rows in batches.
extension Connection {
    private static let firstFetch = 50
    private static let largestFetch = 2000
    /// The memory limit of the rows that are fetched at once, in bytes.
    private static let fetchMemory = 4 << 20

    /// Passes the rows of a statement to a closure one by one, fetching them in batches, until it returns `false`.
    func forEachRow(of sql: String, _ parameters: [SQLValue], _ body: (QueryRow) throws -> Bool) throws {
        cursorCount += 1
        let cursor = "cabinet_cursor_\(cursorCount)"
        try enqueue("DECLARE \(cursor) NO SCROLL CURSOR FOR \(sql)", parameters, isPrepared: false)
        // The first rows arrive with the answer to the declaration. Later batches are sized by the memory limit.
        var size = Self.firstFetch
        while true {
            // Fast answers never wait, so waiting does not detect a cancellation.
            try WorkMeter.current?.checkCancellation()
            let rows = try query("FETCH \(size) FROM \(cursor)", isPrepared: false)
            for row in rows.rows {
                guard try body(row) else {
                    try enqueue("CLOSE \(cursor)", isPrepared: false)
                    return
                }
            }
            guard rows.count == size else { break }
            size = min(max(Self.fetchMemory / max(rows.memory / size, 1), 1), Self.largestFetch)
        }
        try enqueue("CLOSE \(cursor)", isPrepared: false)
    }
}
