import Synchronization

/// A backend that stores records in memory: for tests, for previews, and as the reference implementation.
///
/// Databases live as long as the backend. Containers with the same backend share them:
///
/// ```swift
/// let backend = MemoryBackend()
/// let phone = try Container(identifier: "com.example.notes", backend: backend)
/// let laptop = try Container(identifier: "com.example.notes", backend: backend)
/// ```
///
/// <doc:TestingAProgram> shows tests with it.
public final class MemoryBackend: StorageBackend {
    private struct State {
        var databases: [DatabaseKey: MemoryDatabase] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let signals = ChangeBroadcaster()
    private let uploads = UploadBuffer()

    /// Creates an empty backend.
    public init() {}

    /// Runs a closure over the current content of a database.
    ///
    /// - Parameters:
    ///   - database: The database to read.
    ///   - body: A closure that reads the view.
    /// - Returns: The closure's result.
    /// - Throws: The error of the closure, or ``CabinetError/Code/serviceUnavailable`` if the backend is closed.
    public func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        // Reading a database does not create it.
        let known = try state.withLock { state in
            if state.isClosed { throw Self.closed }
            return state.databases[database]
        }
        return try await body((known ?? MemoryDatabase()).snapshot)
    }

    /// Runs a closure that changes one database, all or nothing.
    ///
    /// - Parameters:
    ///   - database: The database to change.
    ///   - body: A closure that reads and changes the database.
    /// - Returns: The closure's result.
    /// - Throws: The error of the closure, or ``CabinetError/Code/serviceUnavailable`` if the backend is closed.
    public func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let result = try await self.database(database).write(uploads: uploads, body)
        signals.signal(database)
        return result
    }

    /// The abilities of the backend: signals, the list of databases, and assets.
    public var abilities: StorageAbilities {
        StorageAbilities(signals: signals, databases: self, assets: uploads)
    }

    /// Waits for the writers, and refuses later calls; the records live as long as the backend.
    public func close() async {
        let databases = state.withLock { state in
            state.isClosed = true
            return state.databases.values
        }
        for database in databases { await database.waitForWriters() }
        signals.finish()
    }

    private func database(_ key: DatabaseKey) throws -> MemoryDatabase {
        try state.withLock { state in
            if state.isClosed { throw Self.closed }
            if let database = state.databases[key] { return database }
            let database = MemoryDatabase()
            state.databases[key] = database
            return database
        }
    }

    private static let closed = CabinetError(.serviceUnavailable, "The memory backend was closed.")
}

extension MemoryBackend: DatabaseListing {
    /// Lists the databases that were written.
    ///
    /// - Returns: The keys of the databases.
    /// - Throws: ``CabinetError/Code/serviceUnavailable`` if the backend is closed.
    public func databases() async throws -> [DatabaseKey] {
        try state.withLock { state in
            if state.isClosed { throw Self.closed }
            return Array(state.databases.keys)
        }
    }
}

/// The committed content of one database, and a lock for writers.
final class MemoryDatabase: Sendable {
    private let content = Mutex(MemoryContent())
    private let words = WordIndexes()
    private let writers = AsyncLock()

    /// A view of the current content.
    var snapshot: MemorySnapshot { MemorySnapshot(content: content.withLock { $0 }, words: words) }

    func write<Result: Sendable>(
        uploads: UploadBuffer, _ body: @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await writers.withLock {
            let transaction = MemoryTransaction(snapshot, uploads: uploads)
            let result = try await body(transaction)
            let new = transaction.content
            content.withLock { $0 = new }
            return result
        }
    }

    func waitForWriters() async {
        await writers.withLock {}
    }
}
