public import Cabinet
import Synchronization

/// A backend that keeps records in dictionaries while it lives.
public final class DictionaryBackend: StorageBackend {
    /// The databases that were written; `nil` once the backend is closed.
    private let contents = Mutex<[DatabaseKey: Content]?>([:])
    private let writers = AsyncLock()
    let signals = ChangeBroadcaster()
    let uploads = UploadBuffer()

    /// Creates a backend without records.
    public init() {}

    /// Runs a closure on the current state of the database.
    public func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await body(View(openContents()[database] ?? Content(), uploads: uploads))
    }

    /// Runs a closure on a copy of the database, which replaces the database if the closure returns.
    public func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await writers.withLock {
            let view = View(try openContents()[database] ?? Content(), uploads: uploads)
            let result = try await body(view)
            contents.withLock { $0?[database] = view.content }
            signals.signal(database)
            return result
        }
    }

    /// Waits for the writers, and refuses transactions that begin later.
    public func close() async {
        await writers.withLock { contents.withLock { $0 = nil } }
        signals.finish()
    }

    func openContents() throws -> [DatabaseKey: Content] {
        if let contents = contents.withLock({ $0 }) { return contents }
        throw CabinetError(.serviceUnavailable, "The backend was closed.")
    }
}
