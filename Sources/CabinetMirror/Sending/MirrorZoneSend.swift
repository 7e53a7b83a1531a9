import Cabinet

/// Sends the zones that were created and deleted here.
struct MirrorZoneSend {
    private let context: MirrorContext

    init(_ context: MirrorContext) {
        self.context = context
    }

    /// Sends them; one that the server refuses is set aside, and its records wait.
    func run() async throws {
        for zone in try await context.store.zones() where zone.change != nil && zone.error == nil {
            try Task.checkCancellation()
            do {
                if zone.change != .save { try await ask(deleting: zone.zoneID) }
                if zone.change == .delete {
                    try await finish(zone) { $0 = MirrorZone(zoneID: zone.zoneID) }
                } else {
                    try await ask(saving: zone.zoneID)
                    try await finish(zone) { known in
                        if zone.isReplaced { known = MirrorZone(zoneID: zone.zoneID) }
                        known.change = nil
                    }
                }
            } catch let error as CabinetError where !error.isTransient {
                try await finish(zone) { $0.error = error }
            }
        }
    }

    private func ask(saving id: RecordZone.ID) async throws {
        var request = ModifyZonesRequest(in: context.scope)
        request.zonesToSave = [RecordZone(zoneID: id)]
        for case .failure(let error) in try await context.ask(request).saveResults { throw error }
    }

    private func ask(deleting id: RecordZone.ID) async throws {
        var request = ModifyZonesRequest(in: context.scope)
        request.zoneIDsToDelete = [id]
        for case let error? in try await context.ask(request).deleteErrors where error.code != .zoneNotFound {
            throw error
        }
    }

    /// Changes what is known of a zone, unless it was changed again in between.
    private func finish(_ zone: MirrorZone, _ change: @escaping @Sendable (inout MirrorZone) -> Void) async throws {
        var write = MirrorWrite()
        write.zone = (zone.zoneID, { if $0.number == zone.number, $0.change == zone.change { change(&$0) } })
        try await context.apply(write)
    }
}
