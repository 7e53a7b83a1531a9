extension ChangeBroadcaster {
    /// Returns signals of writes that this process makes, at once, and of those that other processes make, by polling.
    ///
    /// It is the ability of a store that several processes share, and that does not notify them:
    ///
    /// ```swift
    /// var abilities: StorageAbilities {
    ///     StorageAbilities(signals: broadcaster.polling(self, every: .seconds(1)))
    /// }
    /// ```
    ///
    /// A stream ends when the broadcaster is finished, or when reading throws ``CabinetError/Code/serviceUnavailable``.
    ///
    /// - Parameters:
    ///   - backend: The backend whose databases are polled, as long as a stream of their signals exists.
    ///   - interval: The time between two reads.
    public func polling(_ backend: any StorageBackend, every interval: Duration) -> any ChangeSignals {
        PollingBroadcaster(broadcaster: self, backend: backend, interval: interval)
    }
}

/// Signals of a broadcaster, and of a backend that is polled.
private struct PollingBroadcaster: ChangeSignals {
    let broadcaster: ChangeBroadcaster
    let backend: any StorageBackend
    let interval: Duration

    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        broadcaster.changeSignals(of: database, every: interval) { [backend] in
            try await backend.read(database) { try await DatabaseVersion.read(in: $0) }
        }
    }
}
