/// Where a database lives, among several stores.
public struct DatabaseHome: Sendable, Hashable {
    /// The name of the store that the database lives in.
    public let name: String

    /// How often the database was given a home: every move makes it greater.
    public let generation: Int64

    /// The name of the store that the database is being moved to; `nil` if it stays.
    public var target: String?

    /// Creates a home.
    ///
    /// - Parameters:
    ///   - name: The name of the store.
    ///   - generation: How often the database was given a home, from 1.
    ///   - target: The name of the store that the database is being moved to.
    public init(name: String, generation: Int64 = 1, target: String? = nil) {
        self.name = name
        self.generation = generation
        self.target = target
    }
}

/// What says in which of several stores each database lives.
///
/// All processes that use the stores have the same directory. What it says is remembered by them and may be outdated: each database
/// itself says so to whoever still looks for it where it was.
public protocol DatabaseDirectory: Sendable {
    /// Tells where a database lives.
    ///
    /// Law: the answer is what the last ``replace(_:with:of:)`` that returned before the call has made it, or a later one.
    ///
    /// - Returns: The home; `nil` if the database has none.
    func home(of database: DatabaseKey) async throws -> DatabaseHome?

    /// Gives a database a home, if it has the one that is expected.
    ///
    /// Law: of several calls for one database, in whatever processes, each finds what the one before has left. What is returned is
    /// as durable as records are.
    ///
    /// - Parameters:
    ///   - expected: The home that the database must have; `nil` if it must have none.
    ///   - home: The home that it then has.
    ///   - database: The database.
    /// - Returns: The home that the database has afterwards: the given one, or another one that was found.
    func replace(
        _ expected: DatabaseHome?, with home: DatabaseHome, of database: DatabaseKey
    ) async throws -> DatabaseHome

    /// Lists the databases that have a home, each once.
    func databases() async throws -> [DatabaseKey]

    /// Whether a database of a store belongs to the directory, and is no program's.
    func isOwn(_ database: DatabaseKey) -> Bool

    /// Gives back what the directory holds. Closing twice is closing once.
    func close() async
}
