public import Cabinet
import Foundation
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
    public func read<T: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> T
    ) async throws -> T {
        try await body(View(allContents()[database] ?? Content(), uploads))
    }

    /// Runs a closure on a copy, which becomes the database if it returns.
    public func write<T: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> T
    ) async throws -> T {
        try await writers.withLock {
            let view = View(try allContents()[database] ?? Content(), uploads)
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

    func allContents() throws -> [DatabaseKey: Content] {
        if let contents = contents.withLock({ $0 }) { return contents }
        throw CabinetError(.serviceUnavailable, "The backend was closed.")
    }
}

/// The content of a database.
struct Content: Sendable {
    var schema = StoredSchema()
    var entries: [StorageKey: String] = [:]
    var records: [RecordID: StoredRecord] = [:]
    var deletions: [RecordID: StoredDeletion] = [:]
    var assets: [Asset.Checksum: Data] = [:]
}

/// A view of a database: a copy of its content, which a transaction changes.
final class View: StorageTransaction {
    private let copy: Mutex<Content>
    let uploads: UploadBuffer

    init(_ content: Content, _ uploads: UploadBuffer) {
        copy = Mutex(content)
        self.uploads = uploads
    }

    var content: Content {
        get { copy.withLock { $0 } }
        set { copy.withLock { $0 = newValue } }
    }
}
