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

    /// The most statements to keep; a server keeps a plan for each, on each connection.
    static let limit = 256

    /// The number of prepared statements.
    var count: Int { prepared.count }

    /// The name under which a statement is prepared, or is to be prepared now.
    ///
    /// A parameter that was null at first has got its type from the statement, and may be another one's now; then the statement is
    /// prepared again.
    ///
    /// - Returns: The name, whether it is new, and the name of a statement to be given up for it.
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

    /// Forgets all statements; the names of later ones are new all the same.
    mutating func reset() {
        names = [:]
        prepared = [:]
    }

    /// Forgets a statement that is not prepared.
    mutating func forget(_ name: String) {
        guard let known = prepared.removeValue(forKey: name) else { return }
        if names[known.sql] == name { names[known.sql] = nil }
    }
}
