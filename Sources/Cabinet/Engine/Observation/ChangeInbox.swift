import Synchronization

/// What has changed and was not taken in yet by one who observes.
///
/// It holds only so much: who is busy for long runs the query anew.
final class ChangeInbox: Sendable {
    /// What has come since it was taken last.
    struct Content: Sendable {
        var sets: [ChangeSet] = []
        /// Whether more has changed than the sets tell.
        var isIncomplete = false
    }

    private let content = Mutex(Content())
    private let arrivals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (arrivals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Tells that something has come; once for all that came before somebody looked.
    func makeIterator() -> AsyncStream<Void>.Iterator { arrivals.makeAsyncIterator() }

    /// Puts in what has changed; `nil` if that cannot be told.
    func put(_ set: ChangeSet?) {
        content.withLock { content in
            guard let set, !content.isIncomplete else {
                content = Content(isIncomplete: true)
                return
            }
            content.sets.append(set)
            let count = content.sets.reduce(content.sets.count) { $0 + $1.count }
            if count > 2 * ChangeSet.maximumCount { content = Content(isIncomplete: true) }
        }
        continuation.yield()
    }

    /// Takes out what has come.
    func take() -> Content {
        content.withLock { content in
            defer { content = Content() }
            return content
        }
    }

    /// Tells that nothing will come any more.
    func finish() {
        continuation.finish()
    }
}
