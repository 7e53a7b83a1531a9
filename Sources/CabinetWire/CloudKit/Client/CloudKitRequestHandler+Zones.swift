public import Cabinet

extension CloudKitRequestHandler {
    /// Fetches zones, with `zones/list` or `zones/lookup`.
    public func response(to request: FetchZonesRequest) async throws -> FetchZonesRequest.Response {
        guard let ids = request.zoneIDs else {
            let root = try await send(.zonesList, to: request.scope, items: "zones") { _ in }
            let reader = reader(nil)
            return .init(
                try root.required("zones").array { item throws(CabinetError) in
                    .success(RecordZone(zoneID: reader.zone(try CloudKitZone.read(in: item))))
                })
        }
        var results: [Result<RecordZone, CabinetError>] = []
        for part in Self.parts(of: ids) {
            let root = try await send(.zonesLookup, to: request.scope, items: "zones") { writer throws(CabinetError) in
                try writer.member("zones", Array(part)) { writer, id throws(CabinetError) in
                    try writer.object { writer throws(CabinetError) in try writer.zone(id, userRecordName) }
                }
            }
            for (item, id) in zip(try Self.items(root, "zones", count: part.count), part) {
                results.append(try CloudKitFailure.read(item).map(Result.failure) ?? .success(RecordZone(zoneID: id)))
            }
        }
        return .init(results)
    }

    /// Creates and deletes zones, with `zones/modify`.
    public func response(to request: ModifyZonesRequest) async throws -> ModifyZonesRequest.Response {
        let changes = request.zonesToSave.map { ($0.zoneID, false) } + request.zoneIDsToDelete.map { ($0, true) }
        var errors: [CabinetError?] = []
        for part in Self.parts(of: changes) {
            let root = try await send(.zonesModify, to: request.scope, items: "zones") { writer throws(CabinetError) in
                try writer.member("operations", Array(part)) { writer, change throws(CabinetError) in
                    try writer.object { writer throws(CabinetError) in
                        writer.member("operationType", change.1 ? "delete" : "create")
                        try writer.member("zone") { writer throws(CabinetError) in
                            try writer.zone(change.0, userRecordName)
                        }
                    }
                }
            }
            for item in try Self.items(root, "zones", count: part.count) {
                errors.append(try CloudKitFailure.read(item))
            }
        }
        return .init(
            zip(request.zonesToSave, errors).map { zone, error in error.map(Result.failure) ?? .success(zone) },
            Array(errors.dropFirst(request.zonesToSave.count)))
    }

    /// Returns a page of the changed zones, with `changes/database`.
    public func response(to request: FetchDatabaseChangesRequest) async throws -> FetchDatabaseChangesRequest.Response {
        let root = try await send(.changesDatabase, to: request.scope, items: "zones") { writer in
            if let token = request.since?.foreignToken { writer.member("syncToken", token) }
            if let limit = request.resultsLimit { writer.member("resultsLimit", Int64(limit)) }
        }
        let reader = reader(nil)
        var modifications: [DatabaseChange.Modification] = []
        var deletions: [DatabaseChange.Deletion] = []
        for item in try root.required("zones").array({ item throws(CabinetError) in try item.object() }) {
            let zoneID = reader.zone(try CloudKitZone.read(in: item))
            if try item["deleted"]?.bool() == true {
                deletions.append(.init(zoneID: zoneID, reason: .deleted))
            } else {
                modifications.append(.init(zoneID: zoneID))
            }
        }
        return .init(
            modifications, deletions, place: FeedPosition(foreignToken: try root.required("syncToken").string()),
            moreComing: try root["moreComing"]?.bool() ?? false)
    }

    /// Returns a page of the changes in a zone, with `changes/zone`.
    public func response(to request: FetchZoneChangesRequest) async throws -> FetchZoneChangesRequest.Response {
        let root = try await send(.changesZone, to: request.scope, items: "zones") { writer throws(CabinetError) in
            try writer.member("zones", [request.zoneID]) { writer, zoneID throws(CabinetError) in
                try writer.object { writer throws(CabinetError) in
                    try writer.zone(zoneID, userRecordName)
                    if let token = request.since?.foreignToken { writer.member("syncToken", token) }
                }
            }
            if let keys = request.desiredKeys { try writer.member("desiredKeys", keys) }
            if let limit = request.resultsLimit { writer.member("resultsLimit", Int64(limit)) }
        }
        let zone = try Self.items(root, "zones", count: 1)[0]
        if let error = try CloudKitFailure.read(zone) { throw error }
        let reader = reader(request.zoneID, isPartial: request.desiredKeys != nil)
        var records: [Record] = []
        var deletions: [RecordZoneChange.Deletion] = []
        for item in try zone.required("records").array({ item throws(CabinetError) in try item.object() }) {
            if try item["deleted"]?.bool() == true {
                let id = RecordID(recordName: try item.required("recordName").string(), zoneID: request.zoneID)
                // Apple's answers lack the type.
                deletions.append(.init(recordID: id, recordType: try item["recordType"]?.string() ?? ""))
            } else {
                records.append(try reader.read(item))
            }
        }
        return .init(
            records, deletions, place: FeedPosition(foreignToken: try zone.required("syncToken").string()),
            moreComing: try zone["moreComing"]?.bool() ?? false)
    }
}
