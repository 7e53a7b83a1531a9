extension StorageBackend {
    /// Signals that come within a quarter of a second.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        polledSignals(of: database, every: .milliseconds(250))
    }

    /// Signals that come because somebody looks every now and then whether a database has changed.
    ///
    /// For a backend whose store others can change without telling it.
    ///
    /// - Parameters:
    ///   - database: Which database to look at.
    ///   - interval: How long to wait between two looks.
    /// - Returns: A stream whose first signal comes with the first look, and that ends when a look fails, as it does once the backend is closed.
    public func polledSignals(of database: DatabaseKey, every interval: Duration) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let polling = Task { [self] in
                var last: Int64?
                while !Task.isCancelled {
                    guard let number = try? await read(database, { try await $0.lastSequenceNumber() }) else { break }
                    // The first look signals too: what has changed between the stream's making and this look is not
                    // known otherwise, and on a busy machine that may be long.
                    if last != number { continuation.yield() }
                    last = number
                    try? await Task.sleep(for: interval)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in polling.cancel() }
        }
    }
}
