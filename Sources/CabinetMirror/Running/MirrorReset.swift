import Cabinet

/// Deletes the local copy of a database, with what was not sent, and forgets its server.
struct MirrorReset {
    private let store: MirrorStore
    private let lease: MirrorLease

    init(_ store: MirrorStore, holding lease: MirrorLease) {
        (self.store, self.lease) = (store, lease)
    }

    /// Deletes it, page by page; a reset that is interrupted begins again.
    func run() async throws {
        while case let page = try await store.pending(after: nil, limit: 200), !page.isEmpty {
            try await apply(page.map { .discarded($0.change.recordID) })
            try await apply(page.map { .deleted($0.change.recordID) })
        }
        try await store.change(creating: [], deleting: store.localZoneIDs())
        try await store.forEachPage(in: .default) { try await apply($0.map(MirrorEvent.deleted)) }
        try await store.forgetServer(holding: lease)
    }

    private func apply(_ events: [MirrorEvent]) async throws {
        try Task.checkCancellation()
        var write = MirrorWrite()
        (write.events, write.lease) = (events, lease)
        try await store.apply(write)
    }
}
