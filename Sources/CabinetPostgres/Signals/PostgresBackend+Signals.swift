public import Cabinet

extension PostgresBackend: ChangeSignals {
    /// Returns a stream with a signal after each write to a database, by this backend or by another backend, process or
    /// machine.
    ///
    /// The backend signals its own writes directly. For the others, it holds one more connection while a database is observed,
    /// which receives `NOTIFY`. It also compares the number of the database's writes at intervals of
    /// ``PostgresConfiguration/changeCheckInterval``, because an announcement can be lost. While it does not hear
    /// its own announcements, the interval is a second at most. Listening does not keep the backend alive: the stream ends with it.
    ///
    /// - Parameter database: The database to observe; it need not exist.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        listener.retain(database)
        return signals.changeSignals(of: database) { [listener] in listener.release(database) }
    }

    /// Signals a committed change, to this process and to others.
    func signal(_ database: DatabaseKey, number: Int64) {
        listener.signal(database, number: number)
        announcer.announce(database, number: number)
    }
}
