extension RoutingBackend {
    private static let pollingInterval = Duration.milliseconds(50)

    /// The signals of one store after the other, as the database moves.
    func routedSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let forwarding = Task { [homes] in
                while !Task.isCancelled {
                    do {
                        let home = try await homes.claimedHome(of: database)
                        let store = try homes.backend(home.name)
                        let signals = store.changeSignals(of: database)
                        // What has changed before somebody listened there.
                        continuation.yield()
                        if try await Self.hasMoved(database, home, store, homes) { continue }
                        var hasMoved = false
                        for await _ in signals {
                            continuation.yield()
                            // The mark of a database that leaves is a change too.
                            hasMoved = try await Self.hasMoved(database, home, store, homes)
                            if hasMoved { break }
                        }
                        if !hasMoved { break }
                    } catch CabinetError.Code.serviceUnavailable {
                        break
                    } catch {
                        // Who looks now finds the failure, or that it is gone.
                        continuation.yield()
                        try? await Task.sleep(for: .milliseconds(250))
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in forwarding.cancel() }
        }
    }

    /// Whether a database lives elsewhere by now; waits for the end of a move.
    private static func hasMoved(
        _ database: DatabaseKey, _ home: DatabaseHome, _ store: any StorageBackend, _ homes: DatabaseHomes
    ) async throws -> Bool {
        let mark = try await store.read(database) { try await RouteMark.read(from: $0) }
        guard let mark, mark.generation >= home.generation else { return false }
        while !Task.isCancelled {
            if let current = try await homes.currentHome(of: database), current.generation > home.generation {
                return true
            }
            try? await Task.sleep(for: pollingInterval)
        }
        return true
    }
}
