extension ChangeBroadcaster {
    /// Returns the signals of a database from now on, together with those of a poll.
    ///
    /// Use this in a backend whose store other processes change without notice. Its own writes signal at once, those of other
    /// processes within the interval. Each stream polls on its own while it is read.
    ///
    /// ```swift
    /// func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
    ///     signals.changeSignals(of: database, every: .milliseconds(250)) { [path] in
    ///         let file = try FileManager.default.attributesOfItem(atPath: path)
    ///         return file[.modificationDate] as? Date
    ///     }
    /// }
    /// ```
    ///
    /// A poll signals if its version differs from that of the poll before. The first poll always signals, because changes between
    /// the creation of the stream and this poll are unknown. A poll that throws signals too: the receiver then reads, and finds
    /// the error or that it has passed.
    ///
    /// - Parameters:
    ///   - database: The database to observe.
    ///   - interval: The pause between two polls; at least a millisecond.
    ///   - version: Returns a value that differs when the database may have changed. It runs in a task of the stream. A poll that
    ///     blocks its thread runs on an executor of its own, with `withTaskExecutorPreference`.
    /// - Returns: A stream that ends when the broadcaster is finished, or a poll throws ``CabinetError/Code/serviceUnavailable``.
    public func changeSignals<Version: Equatable & Sendable>(
        of database: DatabaseKey, every interval: Duration,
        polling version: @escaping @Sendable () async throws -> Version
    ) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let polling = Self.poll(every: interval, signalling: continuation, version)
        send(database, to: continuation) { polling.cancel() }
        return stream
    }

    /// Starts a task that polls, and signals to a stream, until the task is cancelled or the polled store is closed.
    static func poll<Version: Equatable & Sendable>(
        every interval: Duration, signalling continuation: AsyncStream<Void>.Continuation,
        _ version: @escaping @Sendable () async throws -> Version
    ) -> Task<Void, Never> {
        Task.detached {
            var last: Version?
            while !Task.isCancelled {
                do {
                    let found = try await version()
                    if last != found { continuation.yield() }
                    last = found
                } catch CabinetError.Code.serviceUnavailable {
                    break
                } catch {
                    continuation.yield()
                    last = nil
                }
                try? await Task.sleep(for: max(interval, .milliseconds(1)))
            }
            continuation.finish()
        }
    }
}
