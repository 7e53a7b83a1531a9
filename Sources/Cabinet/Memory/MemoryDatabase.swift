import Synchronization

/// The committed content of one database, and a lock for writers.
final class MemoryDatabase: Sendable {
    private let content = Mutex(MemoryContent())
    private let writers = AsyncLock()

    /// A view of the current content.
    var snapshot: MemorySnapshot { MemorySnapshot(content: content.withLock { $0 }) }

    func write<Result: Sendable>(
        uploads: UploadBuffer, _ body: @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await writers.withLock {
            let transaction = MemoryTransaction(content: snapshot.content, uploads: uploads)
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
