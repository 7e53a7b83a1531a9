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
