import Synchronization

/// Broadcasts signals that a database may have changed.
///
/// A signal carries nothing: its receiver reads what has changed. Several that come before the receiver awaits one are one.
public final class ChangeBroadcaster: ChangeSignals {
    private struct State {
        var listeners: [DatabaseKey: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Creates a broadcaster without listeners.
    public init() {}

    /// Signals that a database may have changed.
    ///
    /// - Complexity: O(*n*) in the number of listeners.
    public func signal(_ database: DatabaseKey) {
        let listeners = state.withLock { Array(($0.listeners[database] ?? [:]).values) }
        for listener in listeners { listener.yield() }
    }

    /// The signals of a database from now on; none is lost while it is not awaited.
    ///
    /// The stream ends when the broadcaster is finished.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            if state.isFinished { return nil }
            state.lastID += 1
            state.listeners[database, default: [:]][state.lastID] = continuation
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id, of: database) }
        return stream
    }

    /// Ends all streams, and those that are created later.
    public func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return state.listeners.values.flatMap(\.values)
        }
        for listener in listeners { listener.finish() }
    }

    private func remove(_ id: UInt64, of database: DatabaseKey) {
        state.withLock { state in
            state.listeners[database]?[id] = nil
            if state.listeners[database]?.isEmpty == true { state.listeners[database] = nil }
        }
    }
}
