import Synchronization

/// The latest changes of an observed database, shared by all live queries on it.
///
/// A live query requests the changes after the state that it knows, when it is ready. The history does not know its readers: it drops
/// the oldest sets once it holds ``sizeLimit`` bytes. A query that has not read them reads the changes from the store, so a slow
/// reader costs neither memory nor other readers' changes. Without a live query, the history reads nothing, and only signals.
final class ChangeHistory: Sendable {
    private struct State {
        /// The latest sets, the newest last, each with its size.
        var sets: [(set: ChangeSet, size: Int)] = []
        /// The sum of the sizes.
        var size = 0
        /// The version up to which the history reaches; `nil` if no live query reads it, or later changes are unknown.
        var version: DatabaseVersion?
        /// The number of signals that were received.
        var signalCount = 0
        /// The task that reads the changes.
        var task: Task<Void, Never>?
        var isFinished = false
    }

    /// The database whose changes are recorded.
    let database: DatabaseKey

    private let state = Mutex(State())
    private let broadcaster = ChangeBroadcaster()

    /// The maximum number of bytes that a history holds, as ``ChangeSet/size`` estimates them: about 4,000 changes of records of
    /// 1 kB.
    static let sizeLimit = 4 << 20

    init(of database: DatabaseKey) {
        self.database = database
    }

    deinit {
        state.withLock(\.task)?.cancel()
    }

    /// The number of signals so far, which ``begin(at:signalCount:)`` compares.
    var signalCount: Int { state.withLock(\.signalCount) }

    /// The version up to which the history reaches; `nil` if no live query reads it, or later changes are unknown.
    var version: DatabaseVersion? { state.withLock(\.version) }

    /// Counts a signal, and returns the version after which changes are to be read.
    func receiveSignal() -> DatabaseVersion? {
        state.withLock { state in
            state.signalCount += 1
            return state.version
        }
    }

    /// Has the history hold the changes after a version that a live query has read, unless it holds earlier ones.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - signalCount: The number of signals before the read: after a further one, the version may be an old one.
    func begin(at version: DatabaseVersion, signalCount: Int) {
        state.withLock { state in
            if state.version == nil, state.signalCount == signalCount { state.version = version }
        }
    }

    /// The estimated bytes that the history holds.
    var size: Int { state.withLock(\.size) }

    /// Returns a stream with an element when a database may have changed; several before the next read are one element.
    ///
    /// The stream begins with an element, holds the histories, and ends when one of them is finished.
    static func arrivals(in histories: [ChangeHistory]) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listeners = histories.map { (history: $0, id: $0.broadcaster.nextID()) }
        continuation.onTermination = { _ in
            for (history, id) in listeners { history.broadcaster.removeListener(id, of: history.database) }
        }
        if !histories.contains(where: \.isFinished) { continuation.yield() }
        for (history, id) in listeners { history.broadcaster.add(continuation, id, of: history.database) }
        return stream
    }

    /// Returns the change sets that go on from a state of the database, and the version after them.
    ///
    /// - Returns: The sets in their order; `nil` if the history does not have all changes since the state.
    func changes(after end: TimelinePoint) -> (sets: [ChangeSet], version: DatabaseVersion)? {
        state.withLock { state in
            guard let version = state.version else { return nil }
            if version.end == end { return ([], version) }
            guard version.end.timeline == end.timeline, version.end.number > end.number,
                let first = state.sets.lastIndex(where: { $0.set.start <= end.number })
            else { return nil }
            return (state.sets[first...].map(\.set), version)
        }
    }

    /// Adds a change set, and drops the oldest ones beyond the size limit.
    func append(_ set: ChangeSet) {
        let size = set.size
        state.withLock { state in
            state.version = set.version
            state.sets.append((set, size))
            state.size += size
            var surplus = 0
            while state.size > Self.sizeLimit {
                state.size -= state.sets[surplus].size
                surplus += 1
            }
            state.sets.removeFirst(surplus)
        }
        signal()
    }

    /// Drops all change sets because later changes are unknown: each live query reads the changes itself.
    func reset() {
        state.withLock { state in
            state.version = nil
            state.sets = []
            state.size = 0
        }
        signal()
    }

    /// Signals the readers that the database may have changed.
    func signal() {
        broadcaster.signal(database)
    }

    /// Whether ``finish()`` was called.
    var isFinished: Bool { state.withLock(\.isFinished) }

    /// Holds the task that reads the changes, which is cancelled when the history is finished or deallocated.
    func hold(_ task: Task<Void, Never>) {
        state.withLock { $0.task = task }
    }

    /// Ends the streams of arrivals, and the task.
    func finish() {
        let task = state.withLock { state in
            state.isFinished = true
            return state.task
        }
        task?.cancel()
        broadcaster.finish()
    }
}
