extension LocalDatabaseService {
    /// Returns the signals of a user's shared database, which are those of the owners' databases too.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - histories: The histories of the requested databases, the shared one among them.
    func sharedSignals(of user: String, with histories: [ChangeHistory]) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let database = DatabaseKey.shared(owner: user)
        let acceptances = ChangeHistory.arrivals(in: histories.filter { $0.database == database })
        let others = histories.filter { $0.database != database }
        let task = OwnTasks.start { [backend, tracker] in
            var owners: Set<String>?
            var forwarding: Task<Void, Never>?
            for await _ in acceptances {
                var zones = try? await backend.read(database) { try await $0.sharedZones() }
                // Without the owners, their changes would be missed.
                while zones == nil, !Task.isCancelled, !histories.contains(where: \.isFinished) {
                    // An observer reads for itself, and throws an error that persists.
                    continuation.yield()
                    try? await Task.sleep(for: .milliseconds(100))
                    zones = try? await backend.read(database) { try await $0.sharedZones() }
                }
                let found = zones.map { Set($0.filter { !$0.isLeft }.map(\.zoneID.ownerName)) }
                if let found, found != owners {
                    owners = found
                    forwarding?.cancel()
                    let owned = found.map { tracker.history(of: .private(owner: $0)) }
                    // The stream begins with a signal, so no change before it is missed.
                    let changes = ChangeHistory.arrivals(in: others + owned)
                    forwarding = OwnTasks.start { for await _ in changes { continuation.yield() } }
                }
                continuation.yield()
            }
            forwarding?.cancel()
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
