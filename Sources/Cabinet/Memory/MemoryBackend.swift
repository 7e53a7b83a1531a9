import Synchronization

/// A backend that keeps records in memory: for tests, for previews, and as the specification of what a backend does.
///
/// Databases live as long as the backend. Containers that are given the same backend share them:
///
/// ```swift
/// let backend = MemoryBackend()
/// let phone = try Container(identifier: "com.example.notes", backend: backend)
/// let laptop = try Container(identifier: "com.example.notes", backend: backend)
/// ```
public final class MemoryBackend: StorageBackend {
    private struct State {
        var databases: [DatabaseKey: MemoryDatabase] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let signals = ChangeBroadcaster()
    private let uploads = UploadBuffer()

    /// Creates a backend without a record.
    public init() {}

    /// Runs a closure over the database as it is now.
    public func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        // A database that was only read leaves nothing behind.
        let known = try state.withLock { state in
            if state.isClosed { throw Self.closed }
            return state.databases[database]
        }
        return try await body((known ?? MemoryDatabase()).snapshot)
    }

    /// Runs a closure that changes the database when it is done, all or nothing.
    public func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let result = try await self.database(database).write(uploads: uploads, body)
        signals.signal(database)
        return result
    }

    /// Signals, the list of databases, and assets.
    public var abilities: StorageAbilities {
        StorageAbilities(signals: signals, databases: self, assets: uploads)
    }

    /// Waits for the writers, and refuses whatever comes after; the records are gone with the backend.
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
    public func databases() async throws -> [DatabaseKey] {
        try state.withLock { state in
            if state.isClosed { throw Self.closed }
            return Array(state.databases.keys)
        }
    }
}
