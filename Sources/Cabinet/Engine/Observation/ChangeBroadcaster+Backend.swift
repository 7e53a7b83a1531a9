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

extension StorageBackend {
    /// Returns signals from polling a database, for a backend whose store other processes change without notice.
    ///
    /// Each poll reads the last sequence number and the schema in one round trip. A backend with a cheaper version, such as a
    /// file's modification date, uses ``ChangeBroadcaster/changeSignals(of:every:polling:)``. The stream holds the backend.
    ///
    /// - Parameters:
    ///   - database: The database to poll.
    ///   - interval: The pause between two polls.
    /// - Returns: A stream whose first signal comes with the first poll. It ends when a poll throws
    ///   ``CabinetError/Code/serviceUnavailable``, as after the backend is closed.
    public func polledSignals(of database: DatabaseKey, every interval: Duration) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let polling = ChangeBroadcaster.poll(every: interval, signalling: continuation) {
            try await self.read(database) { try await DatabaseVersion.read(in: $0) }
        }
        continuation.onTermination = { _ in polling.cancel() }
        return stream
    }
}
