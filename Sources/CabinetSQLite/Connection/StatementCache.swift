/// The prepared statements of a connection, by their text.
///
/// Those that were not used for long are forgotten.
struct StatementCache {
    private struct Entry {
        let statement: Statement
        var lastUse: UInt64
    }

    private let handle: DatabaseHandle
    /// How many statements are kept; with 0 each is prepared whenever it is needed.
    let limit: Int
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0

    /// The number of statements that are kept.
    var count: Int { entries.count }

    /// How often a statement had to be prepared.
    private(set) var preparations = 0

    init(handle: DatabaseHandle, limit: Int) {
        self.handle = handle
        self.limit = limit
    }

    /// The statement with a text, prepared now or before.
    mutating func statement(_ sql: String) throws -> Statement {
        uses += 1
        if let index = entries.index(forKey: sql) {
            entries.values[index].lastUse = uses
            return entries.values[index].statement
        }
        let statement = try Statement(sql, on: handle)
        preparations += 1
        guard limit > 0 else { return statement }
        if entries.count >= limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        entries[sql] = Entry(statement: statement, lastUse: uses)
        return statement
    }
}
