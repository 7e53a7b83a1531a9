import Cabinet

/// Applies a change of the selection of records: zones that belong to it are fetched again, and the others are removed.
struct MirrorSelectionChange {
    let context: MirrorContext

    init(_ context: MirrorContext) {
        self.context = context
    }

    /// Applies a change of the selection.
    ///
    /// - Returns: Whether the selection has changed, so that the zones are listed from the beginning.
    func run() async throws -> Bool {
        let selection = context.configuration.selection
        let known = try await context.store.selection() ?? MirrorSelection().fingerprint
        let hasChanged = !known.hasSameScalars(as: selection.fingerprint)
        if hasChanged {
            for zone in try await context.store.zones() where zone.position != nil {
                try await context.change(zone.zoneID) { if !$0.isReplaced { ($0.position, $0.isStale) = (nil, true) } }
            }
            var write = MirrorWrite()
            write.selection = selection.fingerprint
            try await context.apply(write)
        }
        if selection.zoneIDs != nil { try await removeOtherZones(than: selection) }
        return hasChanged
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
            try await context.change(id) { $0 = MirrorZone(zoneID: id) }
        }
    }
}
