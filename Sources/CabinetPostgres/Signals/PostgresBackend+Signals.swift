public import Cabinet

extension PostgresBackend: ChangeSignals {
    /// Returns a stream with a signal after each write to a database, by this backend or by another backend, process or
    /// machine.
    ///
    /// The backend signals its own writes directly. For the others, it holds one more connection while a database is observed,
    /// which receives `NOTIFY`. If that connection breaks, the stream gets a signal once there is a new one, because changes
    /// may have been missed. Listening does not keep the backend alive: the stream ends with it.
    ///
    /// - Parameter database: The database to observe; it need not exist.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        listener.retain(database)
        return signals.changeSignals(of: database) { [listener] in listener.release(database) }
    }
}
