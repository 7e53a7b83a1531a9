import Cabinet

/// The prepared statements of a connection, by their text.
///
/// The least recently used statements are evicted.
struct StatementCache {
    private struct Entry {
        let statement: Statement
        var lastUse: UInt64
    }

    private let handle: DatabaseHandle
    /// The largest number of cached statements; 0 turns the cache off.
    let limit: Int
    /// By scalars: a statement may differ from another one only in the normal form of a member of JSON.
    private var entries: [ScalarText: Entry] = [:]
    private var uses: UInt64 = 0

    /// The number of cached statements.
    var count: Int { entries.count }

    /// The number of statements that had to be prepared.
    private(set) var preparations = 0

    init(handle: DatabaseHandle, limit: Int) {
        self.handle = handle
        self.limit = limit
    }

    /// Returns the cached statement, or prepares it.
    ///
    /// While the evaluator counts records for a row of a statement, it may need another one of the same text.
    mutating func statement(_ sql: String) throws -> Statement {
        uses += 1
        let key = ScalarText(text: sql)
        let index = entries.index(forKey: key)
        if let index, !entries.values[index].statement.isRunning {
            entries.values[index].lastUse = uses
            return entries.values[index].statement
        }
        let statement = try Statement(sql, on: handle)
        preparations += 1
        guard limit > 0, index == nil else { return statement }
        if entries.count >= limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        entries[key] = Entry(statement: statement, lastUse: uses)
        return statement
    }
}
