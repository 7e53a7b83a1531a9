public import Cabinet

extension PostgresBackend: ChangeSignals {
    /// Signals at once after each write of this backend, and as soon as the server announces one of another backend, process or
    /// machine.
    ///
    /// As long as somebody observes a database, the backend holds one more connection, on which it hears what is announced with
    /// `NOTIFY`. Should that connection break, a signal comes when there is a new one, whether something has changed or not.
    /// Listening does not keep the backend alive: the stream ends with it.
    ///
    /// - Parameter database: Which database to tell of; it need not exist.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        listener.retain(database)
        return signals.changeSignals(of: database) { [listener] in listener.release(database) }
    }
}
