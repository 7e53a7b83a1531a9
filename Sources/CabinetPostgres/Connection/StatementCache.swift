/// The statements that are prepared on a connection.
struct StatementCache {
    private struct Prepared {
        let sql: String
        let types: [UInt32]
        var use: UInt64
    }

    private var names: [String: String] = [:]
    private var prepared: [String: Prepared] = [:]
    private var useCount: UInt64 = 0
    private var nameCount: UInt64 = 0

    /// The limit of prepared statements: the server stores a plan for each on each connection.
    static let limit = 256

    /// The number of prepared statements.
    var count: Int { prepared.count }

    /// Returns the name of a prepared statement, or a new name to prepare it under.
    ///
    /// A parameter that was first null has the type that the statement gave it. If a later value has another type, the
    /// statement is prepared again.
    ///
    /// - Returns: The name, whether it is new, and the name of a statement to evict for it.
    mutating func name(of sql: String, types: [UInt32]) -> (name: String, isNew: Bool, evicted: String?) {
        useCount += 1
        var evicted: String?
        if let name = names[sql], let known = prepared[name] {
            if known.types.count == types.count, zip(known.types, types).allSatisfy({ $0 == $1 || $1 == 0 }) {
                prepared[name]?.use = useCount
                return (name, false, nil)
            }
            forget(name)
            evicted = name
        } else if prepared.count >= Self.limit,
            let oldest = prepared.min(by: { $0.value.use < $1.value.use })?.key
        {
            forget(oldest)
            evicted = oldest
        }
        nameCount += 1
        let name = "cabinet_\(nameCount)"
        names[sql] = name
        prepared[name] = Prepared(sql: sql, types: types, use: useCount)
        return (name, true, evicted)
    }

    /// Removes all statements; their names are not reused.
    mutating func reset() {
        names = [:]
        prepared = [:]
    }

    /// Removes a statement whose preparation failed.
    mutating func forget(_ name: String) {
        guard let known = prepared.removeValue(forKey: name) else { return }
        if names[known.sql] == name { names[known.sql] = nil }
    }
}
