import Cabinet
import Synchronization

/// Checks before the first fetch or send that the local store belongs to the container and, if the program wants it, to the user alone.
final class MirrorOwnership: Sendable {
    private let hasPassed = Mutex(false)

    /// Whether the local store belongs to the container and the user.
    var isChecked: Bool { hasPassed.withLock(\.self) }

    /// Checks a local copy, once for each process.
    ///
    /// - Parameters:
    ///   - context: The copy.
    ///   - lease: The lease of the process.
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` for the store of another container or, if the program says so, of another user.
    func check(_ context: MirrorContext, holding lease: MirrorLease) async throws {
        if isChecked { return }
        let (store, change) = (context.store, context.configuration.accountChange)
        let own = context.remote.containerIdentifier
        let known = try await store.server()
        if let known, known != own {
            guard change == .resets else {
                throw CabinetError(
                    .badContainer,
                    "The local store has the records of the container '\(known)', which would reach '\(own)'. Use another store, or let the mirror reset this one."
                )
            }
            try await MirrorReset(store, holding: lease).run()
        }
        if change != .keepsApart {
            for user in try await store.otherUsers() { try await check(user, context, holding: lease) }
        }
        if known == nil, context.scope == .private {
            try await MirrorAdoption(store, holding: lease)
                .run(includingDefaultZone: !context.remote.reportsNoDefaultZone)
        }
        if known != own {
            var write = MirrorWrite()
            (write.server, write.lease) = (own, lease)
            try await store.apply(write)
        }
        hasPassed.withLock { $0 = true }
    }

    private func check(_ user: String, _ context: MirrorContext, holding lease: MirrorLease) async throws {
        guard context.configuration.accountChange == .resets else {
            throw CabinetError(
                .badContainer,
                "The local store has the records of the user '\(user)'. Sign in as this user, use another store, or let the mirror reset this one."
            )
        }
        for scope: DatabaseScope in [.shared, .public, .private] {
            let store = try context.store.copy(of: scope, for: user)
            if let seconds = try await store.take(lease) {
                throw CabinetError(
                    .zoneBusy, "Another process fetches and sends for the user '\(user)'.",
                    retryAfterSeconds: seconds)
            }
            do {
                try await MirrorReset(store, holding: lease).run()
            } catch {
                await store.end(lease)
                throw error
            }
            await store.end(lease)
        }
    }
}
