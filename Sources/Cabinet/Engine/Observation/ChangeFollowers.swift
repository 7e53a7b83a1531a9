import Synchronization

/// Reads what changes in databases, once for all who observe them.
///
/// A database is followed from when somebody begins to observe it until nobody does any more.
final class ChangeFollowers: Sendable {
    private struct State {
        var following: [DatabaseKey: Following] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private struct Following {
        var inboxes: [UInt64: ChangeInbox] = [:]
        let id: UInt64
        let task: Task<Void, Never>
    }

    private let backend: any StorageBackend
    private let state = Mutex(State())

    /// How long to wait after a look that has found something.
    ///
    /// Whatever is written meanwhile is one change: those who write are not slowed by those who observe.
    private static let pause = Duration.milliseconds(50)

    init(_ backend: any StorageBackend) {
        self.backend = backend
    }

    /// Whether nothing is followed any more, because the container was closed.
    var isFinished: Bool { state.withLock(\.isFinished) }

    /// Begins to observe a database.
    func observe(_ database: DatabaseKey) -> ChangeObserver {
        let inbox = ChangeInbox()
        let id = state.withLock { state -> UInt64 in
            state.lastID += 1
            if state.isFinished {
                inbox.finish()
                return state.lastID
            }
            if state.following[database] == nil {
                let id = state.lastID
                let task = Task.detached { [backend, weak self] in
                    await Self.follow(database, of: backend) { [weak self] in self?.put($0, of: database, id: id) }
                    self?.end(database, id: id)
                }
                state.following[database] = Following(id: id, task: task)
            }
            state.following[database]?.inboxes[state.lastID] = inbox
            return state.lastID
        }
        return ChangeObserver(inbox: inbox) { self.leave(id, of: database) }
    }

    /// Ends all observations.
    func finish() {
        let following = state.withLock { state in
            state.isFinished = true
            defer { state.following = [:] }
            return Array(state.following.values)
        }
        for following in following {
            following.task.cancel()
            for inbox in following.inboxes.values { inbox.finish() }
        }
    }

    private func put(_ set: ChangeSet?, of database: DatabaseKey, id: UInt64) {
        let inboxes = state.withLock { state in
            state.following[database].flatMap { $0.id == id ? Array($0.inboxes.values) : nil } ?? []
        }
        for inbox in inboxes { inbox.put(set) }
    }

    /// Ends the observations of a database whose backend tells nothing any more.
    private func end(_ database: DatabaseKey, id: UInt64) {
        let inboxes = state.withLock { state -> [ChangeInbox] in
            guard let following = state.following[database], following.id == id else { return [] }
            state.following[database] = nil
            return Array(following.inboxes.values)
        }
        for inbox in inboxes { inbox.finish() }
    }

    private func leave(_ id: UInt64, of database: DatabaseKey) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard state.following[database]?.inboxes.removeValue(forKey: id) != nil,
                let following = state.following[database], following.inboxes.isEmpty
            else { return nil }
            state.following[database] = nil
            return following.task
        }
        task?.cancel()
    }

    /// Looks at a database whenever it may have changed, until its backend is closed or the task is cancelled.
    private static func follow(
        _ database: DatabaseKey, of backend: any StorageBackend, _ put: @Sendable (ChangeSet?) -> Void
    ) async {
        // Before the first look, so that nothing is missed between the two.
        let signals = backend.changeSignals(of: database)
        var known = try? await look(after: nil, at: database, of: backend)
        // Who has looked before learns what this look has not seen.
        put(known)
        for await _ in signals {
            var found: ChangeSet?
            do {
                found = try await look(after: known, at: database, of: backend)
                if let found, let known, found.isSame(as: known) { continue }
            } catch CabinetError.Code.serviceUnavailable {
                // The backend was closed, and the signals end; or another signal comes.
                known = nil
                continue
            } catch {
                // Each one who observes finds the error, or that it is gone.
            }
            if Task.isCancelled { return }
            put(found)
            known = found
            try? await Task.sleep(for: pause)
        }
    }

    /// Looks at a database; as often as it takes, while another program holds it.
    private static func look(
        after known: ChangeSet?, at database: DatabaseKey, of backend: any StorageBackend
    ) async throws -> ChangeSet {
        try await Self.retrying {
            try await backend.read(database) { try await ChangeSet.read(after: known, in: $0) }
        }
    }

    /// Does something, and again while the store is busy.
    static func retrying<Output>(_ body: () async throws -> Output) async throws -> Output {
        while true {
            do {
                return try await body()
            } catch CabinetError.Code.zoneBusy {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}

/// Somebody who observes a database, as long as the value lives.
final class ChangeObserver: Sendable {
    let inbox: ChangeInbox
    private let leave: @Sendable () -> Void

    init(inbox: ChangeInbox, leave: @escaping @Sendable () -> Void) {
        self.inbox = inbox
        self.leave = leave
    }

    deinit {
        leave()
    }
}
