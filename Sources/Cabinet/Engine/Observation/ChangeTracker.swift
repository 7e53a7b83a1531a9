import Synchronization

/// Reads the changes of observed databases, once for all live queries of a container.
///
/// A database is tracked while at least one live query observes it: one task waits for the backend's signals, and adds the
/// changes that it reads to the database's history.
final class ChangeTracker: Sendable {
    private struct State {
        var tracked: [DatabaseKey: TrackedDatabase] = [:]
        var isFinished = false
    }

    private struct TrackedDatabase {
        let history: ChangeHistory
        let task: Task<Void, Never>
        var observerCount = 0
    }

    private let backend: any StorageBackend
    private let state = Mutex(State())

    /// The pause after a read that has found changes.
    ///
    /// All commits of that time are read as one change set, so that observers do not slow down writers.
    private static let pause = Duration.milliseconds(50)

    init(_ backend: any StorageBackend) {
        self.backend = backend
    }

    /// Whether ``finish()`` was called.
    var isFinished: Bool { state.withLock(\.isFinished) }

    /// Begins to observe a database, until ``leave(_:)`` is called with the history.
    ///
    /// - Returns: The history of the database, which is finished if the tracker is.
    func observe(_ database: DatabaseKey) -> ChangeHistory {
        state.withLock { state in
            if state.isFinished {
                let history = ChangeHistory(of: database)
                history.finish()
                return history
            }
            let tracked = state.tracked[database] ?? track(database)
            state.tracked[database] = tracked
            state.tracked[database]?.observerCount += 1
            return tracked.history
        }
    }

    /// Ends an observation; the last one of a database ends its task.
    func leave(_ history: ChangeHistory) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard var tracked = state.tracked[history.database], tracked.history === history else { return nil }
            tracked.observerCount -= 1
            state.tracked[history.database] = tracked.observerCount > 0 ? tracked : nil
            return tracked.observerCount > 0 ? nil : tracked.task
        }
        task?.cancel()
    }

    /// Ends all observations, and those that begin later.
    func finish() {
        let tracked = state.withLock { state in
            state.isFinished = true
            defer { state.tracked = [:] }
            return Array(state.tracked.values)
        }
        for tracked in tracked {
            tracked.task.cancel()
            tracked.history.finish()
        }
    }

    private func track(_ database: DatabaseKey) -> TrackedDatabase {
        let history = ChangeHistory(of: database)
        let task = Task.detached { [backend, weak self] in
            await Self.fill(history, from: backend)
            self?.end(history)
        }
        return TrackedDatabase(history: history, task: task)
    }

    /// Ends the observations of a database whose signals have ended.
    private func end(_ history: ChangeHistory) {
        state.withLock { state in
            if state.tracked[history.database]?.history === history { state.tracked[history.database] = nil }
        }
        history.finish()
    }

    /// Adds what changes in a database to its history, until the backend is closed or the task is cancelled.
    private static func fill(_ history: ChangeHistory, from backend: any StorageBackend) async {
        // The stream is created before the first read, so that no change between the two is lost.
        let signals = backend.changeSignals(of: history.database)
        var known = await extend(history, after: nil, from: backend)
        for await _ in signals {
            let last = known
            known = await extend(history, after: last, from: backend)
            if known == nil || known != last { try? await Task.sleep(for: pause) }
        }
    }

    /// Adds the changes after a version of a database to its history.
    ///
    /// - Returns: The version up to which the history reaches; `nil` if it is unknown because the read has failed.
    private static func extend(
        _ history: ChangeHistory, after known: DatabaseVersion?, from backend: any StorageBackend
    ) async -> DatabaseVersion? {
        do {
            let set = try await retryingWhileBusy {
                try await backend.read(history.database) { try await ChangeSet.read(after: known, in: $0) }
            }
            if set.version != known { history.append(set) }
            return set.version
        } catch CabinetError.Code.serviceUnavailable {
            // The backend was closed, so that its signals end; otherwise another signal follows.
            return nil
        } catch {
            // Each live query loads its result again, and throws the error if it persists.
            history.reset()
            return nil
        }
    }

    /// Runs a closure, and again while another program holds the store.
    static func retryingWhileBusy<Output>(_ body: () async throws -> Output) async throws -> Output {
        while true {
            do {
                return try await body()
            } catch CabinetError.Code.zoneBusy {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
