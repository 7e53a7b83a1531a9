extension StorageBackend {
    /// Signals that come because somebody looks every now and then whether a database has changed.
    ///
    /// For a backend whose store others can change without telling it. The backend lives as long as somebody listens.
    ///
    /// A look that fails is a signal too: who looks then finds the failure, or that it is gone.
    ///
    /// - Parameters:
    ///   - database: Which database to look at.
    ///   - interval: How long to wait between two looks.
    /// - Returns: A stream whose first signal comes with the first look, and that ends when a look throws
    ///   ``CabinetError/Code/serviceUnavailable``, as it does once the backend is closed.
    public func polledSignals(of database: DatabaseKey, every interval: Duration) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let polling = Task.detached { [self] in
                var last: PolledState?
                while !Task.isCancelled {
                    do {
                        let found = try await read(database) { snapshot in
                            PolledState(
                                number: try await snapshot.lastSequenceNumber(), schema: try await snapshot.schema())
                        }
                        // The first look signals too: what has changed between the stream's making and this look is not
                        // known otherwise, and on a busy machine that may be long.
                        if last != found { continuation.yield() }
                        last = found
                    } catch CabinetError.Code.serviceUnavailable {
                        break
                    } catch {
                        continuation.yield()
                        last = nil
                    }
                    try? await Task.sleep(for: interval)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in polling.cancel() }
        }
    }
}

/// What tells whether a database has changed.
private struct PolledState: Equatable {
    /// The highest number of a change.
    let number: Int64

    /// The schema, whose changes have no numbers.
    let schema: StoredSchema
}
