import Cabinet

/// Applies the deletion of a zone by another client.
///
/// A change that was not sent stays, set aside with an error, until the program sends it again, which creates the zone again, or discards it.
struct MirrorZoneLoss {
    let context: MirrorContext
    let zoneID: RecordZone.ID

    init(_ context: MirrorContext, _ zoneID: RecordZone.ID) {
        (self.context, self.zoneID) = (context, zoneID)
    }

    private var store: MirrorStore { context.store }

    func run() async throws {
        while try await store.exists(zoneID) {
            try Task.checkCancellation()
            do {
                try await store.change(creating: [], deleting: [zoneID])
            } catch CabinetError.Code.zoneBusy {
                try await lose()
                if try await !store.pendingIDs(in: zoneID, limit: 1).isEmpty { return try await forget(isLost: true) }
            }
        }
        try await forget()
    }

    /// Deletes the records without a pending change, and sets the others aside.
    private func lose() async throws {
        let last = try await store.lastNumber()
        var number: Int64? = 0
        while let start = number {
            let page = try await store.recordIDs(in: zoneID, after: start, through: last, limit: 200)
            try await lose(page.ids)
            number = page.next
        }
        // A change without a local record is a deletion of what the server has deleted too.
        let pending = try await store.pending(try await store.pendingIDs(in: zoneID, limit: 1_000_000))
        try await lose(pending.values.filter { $0.record == nil }.map(\.change.recordID))
    }

    private func lose(_ ids: [RecordID]) async throws {
        if ids.isEmpty { return }
        var write = MirrorWrite()
        write.events = ids.map { id in
            .lost(
                id,
                CabinetError(
                    .zoneNotFound,
                    "The zone '\(zoneID)' was deleted on the server before this change was sent. Send it again, which creates the zone, or discard it.",
                    recordID: id))
        }
        try await context.apply(write)
    }

    private func forget(isLost: Bool = false) async throws {
        var write = MirrorWrite()
        write.zone = (
            zoneID,
            { zone in
                (zone.position, zone.isStale, zone.rebuildStart) = (nil, false, nil)
                zone.isLost = isLost
            }
        )
        try await context.apply(write)
    }
}
