import Synchronization

/// The latest changes of an observed database, shared by all live queries on it.
///
/// The history numbers its change sets. A live query remembers the number of the last set that it has read, and requests the
/// later ones when it is ready. The history does not know its readers: it drops the oldest sets once it holds ``sizeLimit``
/// bytes. A query that has not read them loads its result again, so a slow reader costs neither memory nor other readers'
/// changes.
final class ChangeHistory: Sendable {
    private struct State {
        /// The latest sets, the newest last, each with its size.
        var sets: [(set: ChangeSet, size: Int)] = []
        /// The sum of the sizes.
        var size = 0
        /// The number of the newest set.
        var lastNumber = 0
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

    /// The number of the newest change set.
    var lastNumber: Int { state.withLock(\.lastNumber) }

    /// The estimated bytes that the history holds.
    var size: Int { state.withLock(\.size) }

    /// Returns a stream with an element when new change sets arrive; several before the next read are one element.
    ///
    /// The stream ends when the history is finished.
    func arrivals() -> AsyncStream<Void> { broadcaster.changeSignals(of: database) }

    /// Returns the change sets with higher numbers than the given one.
    ///
    /// - Parameter number: The number of a set, as ``lastNumber`` returned it.
    /// - Returns: The sets in ascending order of their numbers; `nil` if the history does not reach back that far.
    func changes(after number: Int) -> [ChangeSet]? {
        state.withLock { state in
            let count = state.lastNumber - number
            return count <= state.sets.count ? state.sets.suffix(count).map(\.set) : nil
        }
    }

    /// Adds a change set, and drops the oldest ones beyond the size limit.
    func append(_ set: ChangeSet) {
        let size = set.size
        state.withLock { state in
            state.sets.append((set, size))
            state.size += size
            state.lastNumber += 1
            var surplus = 0
            while state.size > Self.sizeLimit {
                state.size -= state.sets[surplus].size
                surplus += 1
            }
            state.sets.removeFirst(surplus)
        }
        broadcaster.signal(database)
    }

    /// Drops all change sets because later changes are unknown: each live query loads its result again.
    func reset() {
        state.withLock { state in
            state.sets = []
            state.size = 0
            state.lastNumber += 1
        }
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
