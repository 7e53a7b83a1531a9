import SQLSupport

/// The statements that are prepared on a connection.
///
/// The name of a statement depends on its text only. A pooler that mixes up the statements of its clients therefore never runs
/// another statement than the one meant.
struct StatementCache {
    /// A prepared statement, which is found by its text in one step.
    private final class Prepared {
        let name: String
        let sql: String
        let types: [UInt32]
        var use: UInt64

        init(name: String, sql: String, types: [UInt32], use: UInt64) {
            self.name = name
            self.sql = sql
            self.types = types
            self.use = use
        }
    }

    /// The statements by text; of those with the same text, the last one.
    private var known: [String: Prepared] = [:]
    /// The statements by name.
    private var prepared: [String: Prepared] = [:]
    /// The names of evicted statements that the server has kept.
    private var leftovers: Set<String> = []
    private var useCount: UInt64 = 0
    private var resetCount = 0

    /// The limit of prepared statements: the server stores a plan for each on each connection.
    static let limit = 256

    /// The number of prepared statements.
    var count: Int { prepared.count }

    /// Whether statements stay prepared until the connection ends, so that none is evicted.
    ///
    /// A pooler prepares statements under names of its own, which the client cannot deallocate.
    var keepsAll = false

    /// Whether no further statement can be prepared.
    var isFull: Bool { keepsAll && prepared.count >= Self.limit }

    /// Returns the name of a prepared statement, or a new name to prepare it under.
    ///
    /// A parameter that was first null has the type that the statement gave it. If a later value has another type, the
    /// statement is prepared again.
    ///
    /// - Returns: The name, whether it is new, and the names of statements to evict; `nil` if the cache is full.
    mutating func name(of sql: String, types: [UInt32]) -> (name: String, isNew: Bool, evicted: [String])? {
        useCount += 1
        var evicted: String?
        if let known = known[sql] {
            if known.types.count == types.count, zip(known.types, types).allSatisfy({ $0 == $1 || $1 == 0 }) {
                known.use = useCount
                return (known.name, false, [])
            }
            if !keepsAll { evicted = known.name }
        } else if !keepsAll, prepared.count >= Self.limit {
            evicted = prepared.min { $0.value.use < $1.value.use }?.key
        }
        var name = "cabinet_" + SQLName.digest("\(resetCount) \(types) \(sql)")
        while let known = prepared[name] {
            if known.sql == sql, known.types == types {
                self.known[sql] = known
                return (name, false, [])
            }
            name += "_"
        }
        if isFull { return nil }
        if let evicted { forget(evicted) }
        let statement = Prepared(name: name, sql: sql, types: types, use: useCount)
        known[sql] = statement
        prepared[name] = statement
        defer { leftovers = [] }
        return (name, leftovers.remove(name) == nil, [evicted].compactMap(\.self) + leftovers)
    }

    /// Remembers that the server still has a statement, because it has skipped the eviction after a failure.
    mutating func keep(_ name: String) { leftovers.insert(name) }

    /// Removes all statements; their names are not reused.
    mutating func reset() {
        known = [:]
        prepared = [:]
        leftovers = []
        resetCount += 1
    }

    /// Removes a statement whose preparation failed.
    mutating func forget(_ name: String) {
        guard let statement = prepared.removeValue(forKey: name) else { return }
        if known[statement.sql] === statement { known[statement.sql] = nil }
    }
}
