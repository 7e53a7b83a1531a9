extension SharedRequestHandler {
    func response(to request: FetchZonesRequest) async throws -> FetchZonesRequest.Response {
        try local.checkCount(request.zoneIDs?.count ?? 0)
        guard let zoneIDs = request.zoneIDs else {
            let entries = try await local.read(try local.databaseToRead(.shared)) { try await $0.sharedZones() }
            let zones = try await changeNumbers(of: entries.filter { !$0.isLeft }.map(\.zoneID)).keys.sorted {
                ($0.zoneName, $0.ownerName) < ($1.zoneName, $1.ownerName)
            }
            return FetchZonesRequest.Response(results: zones.map { .success(RecordZone(zoneID: $0)) })
        }
        let found = try await changeNumbers(of: zoneIDs)
        return FetchZonesRequest.Response(
            results: zoneIDs.map { id in
                found[id] == nil
                    ? .failure(ZoneRule.notFound(id, in: .shared)) : .success(RecordZone(zoneID: id))
            }, keys: request.asksForKeys ? try await keys(of: zoneIDs) : nil)
    }

    /// Returns the keys that the owners of zones have given to the user, and none of other participants.
    private func keys(of zoneIDs: [RecordZone.ID]) async throws -> [ZoneKeys] {
        var keys: [ZoneKeys] = []
        for group in groups(of: zoneIDs) {
            let route = group.route
            let ids = group.positions.map { route.ownerRule(of: user).canonical(zoneIDs[$0]) }
            keys += try await local.read(route.database) { [user] snapshot in
                let access = try await snapshot.shareAccess(to: ids, for: user)
                return try await snapshot.keys(of: ids.filter(access.canRead)).map { stored in
                    ZoneKeys(
                        zoneID: route.callerID(stored.zoneID),
                        keys: stored.keys.filter { $0.recipient.userRecordName == user },
                        lastNumber: stored.keys.map(\.number).max())
                }
            }
        }
        return keys
    }

    /// Refuses each zone: the owners alone create and delete them, and give keys for their encrypted values.
    func response(to request: ModifyZonesRequest) async throws -> ModifyZonesRequest.Response {
        if let keys = request.keysToAdd?.first {
            throw CabinetError(
                .permissionFailure,
                "Only \(keys.zoneID.ownerName) adds keys to the zone '\(keys.zoneID.zoneName)', in the private database."
            )
        }
        try local.checkCount(request.zonesToSave.count + request.zoneIDsToDelete.count)
        let found = try await changeNumbers(of: request.zoneIDsToDelete)
        var response = ModifyZonesRequest.Response()
        response.saveResults = request.zonesToSave.map { zone in
            ZoneRule.violation(saving: zone.zoneID, in: .shared, user: user).map(Result.failure) ?? .success(zone)
        }
        response.deleteErrors = request.zoneIDsToDelete.map { id in
            if found[id] == nil { return ZoneRule.notFound(id, in: .shared) }
            return CabinetError(
                .permissionFailure,
                "Only \(id.ownerName) deletes the zone '\(id.zoneName)'. Delete its share from the shared database to leave it."
            )
        }
        return response
    }

    /// Returns the number of the last change in each of the zones that the user sees.
    ///
    /// - Complexity: one read for each owner.
    func changeNumbers(of zoneIDs: [RecordZone.ID]) async throws -> [RecordZone.ID: Int64] {
        var numbers: [RecordZone.ID: Int64] = [:]
        for group in groups(of: zoneIDs) {
            let route = group.route
            let ids = group.positions.map { route.ownerRule(of: user).canonical(zoneIDs[$0]) }
            let found = try await local.read(route.database) { [user] snapshot in
                let access = try await snapshot.shareAccess(to: ids, for: user)
                return try await snapshot.zones(for: Set(ids.filter(access.canRead)))
            }
            for zone in found { numbers[route.callerID(zone.zoneID)] = zone.changeNumber }
        }
        return numbers
    }

    func response(to request: FetchDatabaseChangesRequest) async throws -> FetchDatabaseChangesRequest.Response {
        let limit = try ChangeFeedRule.limit(request.resultsLimit)
        let (entries, end) = try await local.read(try local.databaseToRead(.shared)) { snapshot in
            let state = try await snapshot.databaseState()
            if let position = request.since {
                try ChangeFeedRule.check(position, readAccess: nil)
                try ChangeFeedRule.check(position, last: state.lastSequenceNumber)
                guard try await state.contains(position.end, in: snapshot) else { throw ChangeFeedRule.replaced }
            }
            return (try await snapshot.sharedZones(), state.end)
        }
        let numbers = try await changeNumbers(of: entries.filter { !$0.isLeft }.map(\.zoneID))
        var known = request.since?.zoneNumbers ?? [:]
        var response = FetchDatabaseChangesRequest.Response()
        for entry in entries where known[entry.number] != numbers[entry.zoneID] {
            if response.modifications.count + response.deletions.count == limit {
                response.moreComing = true
                break
            }
            known[entry.number] = numbers[entry.zoneID]
            if numbers[entry.zoneID] == nil {
                response.deletions.append(.init(zoneID: entry.zoneID, reason: .deleted))
            } else {
                response.modifications.append(.init(zoneID: entry.zoneID))
            }
        }
        response.position = FeedPosition(number: end.number, tombstoneHorizon: end.number, end: end, zoneNumbers: known)
        return response
    }

    func response(to request: FetchZoneChangesRequest) async throws -> FetchZoneChangesRequest.Response {
        let zoneID = local.ownerRule.canonical(request.zoneID)
        try local.strictSchema?.rule.check(desiredKeys: request.desiredKeys)
        let route = try route(to: zoneID)
        try await checkBeforePreparing(zoneID, route)
        var part = request
        part.zoneID = route.ownerRule(of: user).canonical(zoneID)
        var response = try await answering(route) { [part] in try await $0.response(to: part) }
        route.mapToCaller(&response.records, user)
        response.deletions = response.deletions.map {
            RecordZoneChange.Deletion(recordID: route.callerID($0.recordID), recordType: $0.recordType)
        }
        return response
    }
}
