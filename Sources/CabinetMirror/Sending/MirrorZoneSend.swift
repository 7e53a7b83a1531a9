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
            var zone = zone
            do {
                try await send(&zone)
            } catch let error as CabinetError where !error.isTransient {
                try await finish(zone) { $0.error = error }
            }
        }
    }

    private func send(_ zone: inout MirrorZone) async throws {
        let id = zone.zoneID
        if zone.isReplaced {
            let isKept = try await !delete(zone)
            let (number, isSaved) = (zone.number, zone.change == .recreate)
            // Its records arrive with the next fetch, which needs the zone.
            if isKept, !isSaved { try await context.store.change(creating: [id], deleting: []) }
            // A deletion that is sent again would delete what others have saved in the new zone by then.
            try await finish(zone) { known in
                // Another client may have created the zone since, and a fetch of the list may have reported it.
                let isStale = isKept || known.isStale
                known = MirrorZone(zoneID: id)
                (known.change, known.number, known.isStale) = (isSaved ? .save : nil, number, isStale)
            }
            guard isSaved else { return }
            zone.change = .save
        }
        if id != .default { try await ask(saving: id) }
        // The records follow, and no program could decrypt their values without the keys.
        if let request = try await context.store.requestForKeys(of: id) { _ = try await context.ask(request) }
        try await finish(zone) { $0.change = nil }
    }

    /// Deletes the zone on the server, unless it is the zone of another client by now.
    ///
    /// The answer to an earlier request may be lost, and another client may have created the zone again since, and saved records in it.
    ///
    /// - Returns: `false` if the server keeps the zone.
    private func delete(_ zone: MirrorZone) async throws -> Bool {
        var request = FetchZoneChangesRequest(in: context.scope)
        (request.zoneID, request.since, request.desiredKeys, request.resultsLimit) = (zone.zoneID, zone.position, [], 1)
        do {
            let page = try await context.ask(request)
            if zone.change == .retract, !page.records.isEmpty || page.moreComing { return false }
            if zone.position == nil {
                // By this position, another zone of the name is recognized if the answer to the deletion is lost.
                let place = page.position
                try await context.change(zone.zoneID) { if $0.isReplaced, $0.position == nil { $0.position = place } }
            }
        } catch let error as CabinetError where error.code == .changeTokenExpired {
            return false
        } catch let error as CabinetError where error.code == .zoneNotFound || error.code == .userDeletedZone {
            return true
        }
        try await ask(deleting: zone.zoneID)
        return true
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
        try await context.change(zone.zoneID) { if $0.number == zone.number, $0.change == zone.change { change(&$0) } }
    }
}
