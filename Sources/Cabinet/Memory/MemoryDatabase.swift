/// One database: its committed content, and a queue of writers.
///
/// A reader takes the content as it is, which is a copy of a few pointers. A writer collects its changes beside the content and
/// puts them in when it is done, so that nobody sees a part of them.
actor MemoryDatabase {
    private(set) var content = MemoryContent()
    private var isWriting = false
    private var waitingWriters: [CheckedContinuation<Void, Never>] = []

    func write<Result: Sendable>(
        uploads: MemoryUploads, _ body: @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        await beginWriting()
        defer { endWriting() }
        let transaction = MemoryTransaction(content: content, uploads: uploads)
        let result = try await body(transaction)
        // The transaction gives up its hold on the content first, so that the changes are made in place.
        let changes = transaction.finish()
        content.apply(changes)
        return result
    }

    func waitForWriters() async {
        await beginWriting()
        endWriting()
    }

    private func beginWriting() async {
        if isWriting {
            await withCheckedContinuation { waitingWriters.append($0) }
        } else {
            isWriting = true
        }
    }

    private func endWriting() {
        if waitingWriters.isEmpty {
            isWriting = false
        } else {
            waitingWriters.removeFirst().resume()
        }
    }
}
