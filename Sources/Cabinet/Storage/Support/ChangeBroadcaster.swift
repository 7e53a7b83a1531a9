import Synchronization

/// A broadcaster of signals that a database may have changed.
///
/// A signal carries no data: its receiver reads the changes. Signals that arrive before the receiver awaits the next one are
/// merged.
///
/// A backend whose store only this process changes returns ``changeSignals(of:)``. A backend whose store other processes change
/// adds a poll with ``changeSignals(of:every:polling:)``.
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
    /// - Parameter database: The database.
    /// - Complexity: O(*n*) in the number of listeners.
    public func signal(_ database: DatabaseKey) {
        let listeners = state.withLock { Array(($0.listeners[database] ?? [:]).values) }
        for listener in listeners { listener.yield() }
    }

    /// Returns the signals of a database from now on, without losing those that arrive while no task awaits them.
    ///
    /// - Parameter database: The database to observe.
    /// - Returns: A stream that ends when the broadcaster is finished.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        changeSignals(of: database) {}
    }

    /// Returns the signals of a database from now on, and runs a callback when they end.
    ///
    /// Use this in a backend that listens to its store while there is a stream.
    ///
    /// - Parameters:
    ///   - database: The database to observe.
    ///   - onTermination: A closure that runs once, when the stream's reader releases it or the broadcaster is finished.
    /// - Returns: A stream that ends when the broadcaster is finished.
    public func changeSignals(
        of database: DatabaseKey, onTermination: @escaping @Sendable () -> Void
    ) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        send(database, to: continuation, onTermination: onTermination)
        return stream
    }

    /// Ends all streams, also those that are created later.
    public func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return state.listeners.values.flatMap(\.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// Sends the signals of a database to a stream, until the stream or the broadcaster ends.
    func send(
        _ database: DatabaseKey, to continuation: AsyncStream<Void>.Continuation,
        onTermination: @escaping @Sendable () -> Void
    ) {
        let id = nextID()
        // Set the callback before the stream can finish, so that it always runs.
        continuation.onTermination = { [weak self] _ in
            self?.removeListener(id, of: database)
            onTermination()
        }
        add(continuation, id, of: database)
    }

    /// Returns the ID of a new listener.
    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Adds a listener, or finishes it if the broadcaster is finished.
    func add(_ listener: AsyncStream<Void>.Continuation, _ id: UInt64, of database: DatabaseKey) {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.listeners[database, default: [:]][id] = listener }
            return state.isFinished
        }
        if isFinished { listener.finish() }
    }

    func removeListener(_ id: UInt64, of database: DatabaseKey) {
        state.withLock { state in
            state.listeners[database]?[id] = nil
            if state.listeners[database]?.isEmpty == true { state.listeners[database] = nil }
        }
    }
}
