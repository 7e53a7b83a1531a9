/// An ability to signal that a database may have changed.
public protocol ChangeSignals: Sendable {
    /// Returns a stream with an element whenever a database may have changed.
    ///
    /// Law: a signal follows every write that has changed something: at once after a write of this backend, and within a time
    /// that the backend documents after a write of another process. A signal may come without a change, and one signal may stand
    /// for several changes. A signal follows the last change even if no task awaits the stream at that moment. The stream ends
    /// when the backend is closed.
    ///
    /// - Parameter database: The database to observe; it need not exist.
    /// - Returns: A stream of signals from now on.
    /// - Complexity: a write pays for the open streams, and hardly anything if there are none.
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void>
}
