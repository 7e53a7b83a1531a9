import Synchronization

/// One database: its committed content, and a queue of writers.
///
/// A reader takes the content as it is, which is a copy of one pointer. A writer collects its changes beside the content and puts
/// them in when it is done, so that nobody sees a part of them; readers that come meanwhile wait, and block no thread.
final class MemoryDatabase: Sendable {
    private struct State {
        /// What was committed; `nil` while changes are put in.
        var committed: MemorySnapshot? = MemorySnapshot(view: MemoryView(content: MemoryContent()))
        var waitingReaders: [CheckedContinuation<MemorySnapshot, Never>] = []
        var isWriting = false
        var waitingWriters: [CheckedContinuation<Void, Never>] = []

        /// - Returns: Whether nobody else is writing.
        mutating func beginWriting() -> Bool {
            defer { isWriting = true }
            return !isWriting
        }
    }

    private let state = Mutex(State())

    /// The database as it is now.
    func snapshot() async -> MemorySnapshot {
        if let snapshot = state.withLock({ $0.committed }) { return snapshot }
        return await withCheckedContinuation { continuation in
            let snapshot = state.withLock { state in
                if state.committed == nil { state.waitingReaders.append(continuation) }
                return state.committed
            }
            if let snapshot { continuation.resume(returning: snapshot) }
        }
    }

    func write<Result: Sendable>(
        uploads: MemoryUploads, _ body: @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        await beginWriting()
        defer { endWriting() }
        let transaction = MemoryTransaction(content: await snapshot().view.content, uploads: uploads)
        let result = try await body(transaction)
        // The transaction gives up its hold on the content first, and the database its own, so that the changes are made in place
        // unless somebody reads.
        let changes = transaction.finish()
        var content = takeContent()
        content.apply(changes)
        commit(content)
        return result
    }

    func waitForWriters() async {
        await beginWriting()
        endWriting()
    }

    private func takeContent() -> MemoryContent {
        // There is one writer at a time, which puts back what it has taken.
        state.withLock { $0.committed.take()?.view.content ?? MemoryContent() }
    }

    private func commit(_ content: MemoryContent) {
        let snapshot = MemorySnapshot(view: MemoryView(content: content))
        let readers = state.withLock { state in
            state.committed = snapshot
            defer { state.waitingReaders = [] }
            return state.waitingReaders
        }
        for reader in readers { reader.resume(returning: snapshot) }
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
