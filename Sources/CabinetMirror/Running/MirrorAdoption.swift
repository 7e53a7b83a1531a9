import Cabinet

/// Makes the records that a store had before it became a mirror's pending changes, so that the server gets them.
///
/// The keys of a zone's encrypted values are sent with the zone.
///
/// An adoption that is interrupted begins again, and leaves alone what is pending already.
struct MirrorAdoption {
    private let store: MirrorStore
    private let lease: MirrorLease

    init(_ store: MirrorStore, holding lease: MirrorLease) {
        (self.store, self.lease) = (store, lease)
    }

    /// Adopts zones and records.
    ///
    /// - Parameter includesDefaultZone: Whether the server's default zone can be mirrored.
    func run(includingDefaultZone includesDefaultZone: Bool) async throws {
        if try await store.lastNumber() == 0 { return }
        let zoneIDs = try await store.localZoneIDs()
        // The default zone needs no creation, but its keys are sent before its records.
        let keysOfDefault = try await includesDefaultZone ? store.requestForKeys(of: .default) : nil
        for id in zoneIDs + (keysOfDefault == nil ? [] : [.default]) {
            var write = MirrorWrite()
            write.zone = (id, { zone in if zone.position == nil, zone.change == nil { zone.change = .save } })
            try await apply(write)
        }
        for id in (includesDefaultZone ? [.default] : []) + zoneIDs {
            try await store.forEachPage(in: id) { ids in
                var write = MirrorWrite()
                write.events = ids.map(MirrorEvent.adopted)
                try await apply(write)
            }
        }
    }

    private func apply(_ write: MirrorWrite) async throws {
        try Task.checkCancellation()
        var write = write
        write.lease = lease
        try await store.apply(write)
    }
}
