import Synchronization

/// One database: its committed content, and a queue of writers.
final class MemoryDatabase: Sendable {
    private struct State {
        var content = MemoryContent()
        var isWriting = false
        var waitingWriters: [CheckedContinuation<Void, Never>] = []

        /// - Returns: Whether no other task is writing.
        mutating func beginWriting() -> Bool {
            defer { isWriting = true }
            return !isWriting
        }
    }

    private let state = Mutex(State())

    /// The database as it is now.
    var snapshot: MemorySnapshot { MemorySnapshot(content: state.withLock { $0.content }) }

    func write<Result: Sendable>(
        uploads: UploadBuffer, _ body: @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        await beginWriting()
        defer { endWriting() }
        let transaction = MemoryTransaction(content: snapshot.content, uploads: uploads)
        let result = try await body(transaction)
        let content = transaction.content
        state.withLock { $0.content = content }
        return result
    }

    func waitForWriters() async {
        await beginWriting()
        endWriting()
    }

    private func beginWriting() async {
        if state.withLock({ $0.beginWriting() }) { return }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.beginWriting() { return true }
                state.waitingWriters.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func endWriting() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.waitingWriters.isEmpty {
                state.isWriting = false
                return nil
            }
            return state.waitingWriters.removeFirst()
        }
        next?.resume()
    }
}
