public import Cabinet
import Synchronization

/// Keeps records in dictionaries, as long as it lives.
public final class DictionaryBackend: StorageBackend {
    private let databases = Mutex<[DatabaseKey: Content]>([:])
    private let isClosed = Atomic(false)
    private let writers = AsyncLock()
    let signals = ChangeBroadcaster()
    let uploads = UploadBuffer()

    /// Creates a backend without records.
    public init() {}

    /// Runs a closure over the database as it is now.
    public func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await body(View(try content(of: database), uploads: uploads))
    }

    /// Runs a closure over a copy of the database, which replaces the database if the closure returns.
    public func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await writers.withLock {
            let view = View(try content(of: database), uploads: uploads)
            let result = try await body(view)
            databases.withLock { $0[database] = view.content }
            signals.signal(database)
            return result
        }
    }

    /// Waits for the writers, and refuses transactions that begin later.
    public func close() async {
        await writers.withLock { isClosed.store(true, ordering: .sequentiallyConsistent) }
        signals.finish()
    }

    /// The content of each database that was written.
    func contents() throws -> [DatabaseKey: Content] {
        if isClosed.load(ordering: .sequentiallyConsistent) {
            throw CabinetError(.serviceUnavailable, "The backend was closed.")
        }
        return databases.withLock { $0 }
    }

    private func content(of database: DatabaseKey) throws -> Content {
        try contents()[database] ?? Content()
    }
}
