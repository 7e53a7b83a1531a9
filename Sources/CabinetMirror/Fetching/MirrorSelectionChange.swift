import Cabinet

/// Applies a change of the selection of records: zones that belong to it are fetched again, and the others are removed.
struct MirrorSelectionChange {
    let context: MirrorContext

    init(_ context: MirrorContext) {
        self.context = context
    }

    func run() async throws {
        let selection = context.configuration.selection
        let known = try await context.store.selection() ?? MirrorSelection().fingerprint
        if !known.hasSameScalars(as: selection.fingerprint) {
            for zone in try await context.store.zones() where zone.position != nil {
                try await change(zone.zoneID) { if !$0.isReplaced { ($0.position, $0.isStale) = (nil, true) } }
            }
            var write = MirrorWrite()
            write.selection = selection.fingerprint
            try await context.apply(write)
        }
        if selection.zoneIDs != nil { try await removeOtherZones(than: selection) }
    }

    /// Removes zones without pending changes; the others stay until the server has the changes.
    private func removeOtherZones(than selection: MirrorSelection) async throws {
        let new = Set(try await context.store.zones().filter { $0.change != nil }.map(\.zoneID))
        for id in try await context.store.localZoneIDs() where !selection.includes(id) && !new.contains(id) {
            do {
                try await context.store.change(creating: [], deleting: [id])
            } catch CabinetError.Code.zoneBusy {
                continue
            }
            try await change(id) { $0 = MirrorZone(zoneID: id) }
        }
    }

    private func change(_ id: RecordZone.ID, _ change: @escaping @Sendable (inout MirrorZone) -> Void) async throws {
        var write = MirrorWrite()
        write.zone = (id, change)
        try await context.apply(write)
    }
}
