import Synchronization

/// Broadcasts signals that a database may have changed.
///
/// A signal carries nothing: its receiver reads what has changed. Several that come before the receiver awaits one are one.
///
/// A backend whose store only this process changes returns ``changeSignals(of:)``. One whose store other processes change adds a poll
/// with ``changeSignals(of:every:polling:)``.
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
        changeSignals(of: database) {}
    }

    /// The signals of a database from now on, and a callback when they end.
    ///
    /// For a backend that listens to its store as long as there is a stream.
    ///
    /// - Parameters:
    ///   - database: The database to observe.
    ///   - onTermination: Runs once, when the stream's reader has gone or the broadcaster is finished.
    public func changeSignals(
        of database: DatabaseKey, onTermination: @escaping @Sendable () -> Void
    ) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        send(database, to: continuation, onTermination: onTermination)
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

    /// Sends the signals of a database to a stream, until one of both ends.
    func send(
        _ database: DatabaseKey, to continuation: AsyncStream<Void>.Continuation,
        onTermination: @escaping @Sendable () -> Void
    ) {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        // Set before the stream can be finished, so that the callback is never missed.
        continuation.onTermination = { [weak self] _ in
            self?.remove(id, of: database)
            onTermination()
        }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.listeners[database, default: [:]][id] = continuation }
            return state.isFinished
        }
        if isFinished { continuation.finish() }
    }

    private func remove(_ id: UInt64, of database: DatabaseKey) {
        state.withLock { state in
            state.listeners[database]?[id] = nil
            if state.listeners[database]?.isEmpty == true { state.listeners[database] = nil }
        }
    }
}
