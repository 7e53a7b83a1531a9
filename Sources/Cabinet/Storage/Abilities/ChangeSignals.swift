/// Signals when a database may have changed.
public protocol ChangeSignals: Sendable {
    /// A stream with an element whenever a database may have changed.
    ///
    /// Law: after a write that has changed something, a signal comes: at once if this backend made it, and within a time that the
    /// backend documents if another process did. A signal may come without a change, and several changes may be one signal; but
    /// after the last change a signal comes, even if nothing awaits it at that moment. The stream ends when the backend is closed.
    ///
    /// - Parameter database: The database to observe; it need not exist.
    /// - Complexity: a write pays for the streams that exist, and hardly anything without one.
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void>
}
