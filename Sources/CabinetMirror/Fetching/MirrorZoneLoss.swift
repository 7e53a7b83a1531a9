import Cabinet

/// Applies the loss of a zone: another client has deleted it, its share was revoked, or the user has removed the program's data.
///
/// A change that was not sent stays, set aside with an error, until the program sends it again or discards it. A zone that no client has deleted
/// stays as a whole: its records become such changes, so that a reset elsewhere does not empty the device.
struct MirrorZoneLoss {
    let context: MirrorContext
    let zoneID: RecordZone.ID
    let reason: DatabaseChange.Deletion.Reason

    init(_ context: MirrorContext, _ zoneID: RecordZone.ID, _ reason: DatabaseChange.Deletion.Reason) {
        (self.context, self.zoneID, self.reason) = (context, zoneID, reason)
    }

    private var store: MirrorStore { context.store }

    func run() async throws {
        // A zone that returns after an interruption is fetched from the beginning.
        if try await store.exists(zoneID) { try await forget(isStale: true) }
        while try await store.exists(zoneID) {
            try Task.checkCancellation()
            do {
                if reason != .deleted { try await lose() }
                try await store.change(creating: [], deleting: [zoneID])
            } catch CabinetError.Code.zoneBusy {
                try await lose()
                if try await !store.pendingIDs(in: zoneID, limit: 1).isEmpty { return try await forget(isLost: true) }
            }
        }
        try await forget()
    }

    /// Applies the loss of a zone that was created again, before the fetch brings the records of the new one.
    ///
    /// A change that was not sent is one of the lost zone, and so it is set aside, and not saved in the new one. The records without
    /// changes are deleted when the new zone was fetched, unless that has them.
    func runForNewZone() async throws {
        for ids in try await store.pendingIDs(in: zoneID, limit: 1_000_000).parts(of: 200) {
            try Task.checkCancellation()
            try await lose(Array(ids), isReplaced: true)
        }
        try await forget(isStale: true)
    }

    /// Sets the pending changes aside, and deletes the other records, unless no client has deleted them.
    private func lose() async throws {
        try await store.forEachPage(in: zoneID) { try await lose($0) }
        // A change without a local record is a deletion of what the server has deleted too.
        let pending = try await store.pending(try await store.pendingIDs(in: zoneID, limit: 1_000_000))
        try await lose(pending.values.filter { $0.record == nil }.map(\.change.recordID))
    }

    private func lose(_ ids: [RecordID], isReplaced: Bool = false) async throws {
        if ids.isEmpty { return }
        var write = MirrorWrite()
        write.events = ids.map { id in
            var error = isReplaced ? replacement : error
            error.recordID = id
            return reason == .deleted || isReplaced ? .lost(id, error) : .withdrawn(id, error)
        }
        try await context.apply(write)
    }

    private var keys: String {
        // `MirrorRule` leaves the values out.
        "The record's encrypted values, if it has any, are lost with the zone's keys."
    }

    private var replacement: CabinetError {
        CabinetError(
            .zoneNotFound,
            "The zone '\(zoneID)' was deleted on the server before this change was sent, and created again. Send it again, which saves it in the new zone, or discard it. \(keys)"
        )
    }

    private var error: CabinetError {
        switch reason {
        case .purged:
            CabinetError(
                .userDeletedZone,
                "The user has removed the zone '\(zoneID)' with the program's data. Send this record again, which creates the zone, or discard it. \(keys)"
            )
        case .encryptedDataReset:
            CabinetError(
                .zoneNotFound,
                "The keys of the zone '\(zoneID)' were lost on the server, with its records. Send this one again, which creates the zone, or discard it. \(keys)"
            )
        case .deleted where context.scope == .shared:
            CabinetError(
                .zoneNotFound,
                "The zone '\(zoneID)' is no longer shared with the user, and this change was not sent. Send it when the zone is shared again, or discard it."
            )
        case .deleted:
            CabinetError(
                .zoneNotFound,
                "The zone '\(zoneID)' was deleted on the server before this change was sent. Send it again, which creates the zone, or discard it. \(keys)"
            )
        }
    }

    private func forget(isLost: Bool = false, isStale: Bool = false) async throws {
        try await context.change(zoneID) { zone in
            (zone.position, zone.isStale, zone.rebuildStart) = (nil, isStale, nil)
            zone.isLost = isLost
        }
    }
}
