public import Cabinet

extension CloudKitRequestHandler {
    /// Fetches zones, with `zones/list` or `zones/lookup`.
    public func response(to request: FetchZonesRequest) async throws -> FetchZonesRequest.Response {
        guard let ids = request.zoneIDs else {
            let root = try await send(.zonesList, to: request.scope, items: "zones") { _ in }
            let reader = reader(nil, in: request.scope)
            return .init(
                try root.required("zones").array { item throws(CabinetError) in
                    .success(RecordZone(zoneID: reader.zone(try CloudKitZone.read(in: item))))
                })
        }
        var results: [Result<RecordZone, CabinetError>] = []
        for part in ids.parts(of: CloudKitEndpoint.maximumCount) {
            let root = try await send(.zonesLookup, to: request.scope, items: "zones") { writer throws(CabinetError) in
                try writer.member("zones", Array(part)) { writer, id throws(CabinetError) in
                    try writer.object { writer throws(CabinetError) in try writer.zone(id, userRecordName) }
                }
            }
            for item in try Self.items(root, "zones", count: part.count) {
                results.append(try result(item, in: request.scope))
            }
        }
        return .init(results)
    }

    /// Creates and deletes zones, with `zones/modify`.
    public func response(to request: ModifyZonesRequest) async throws -> ModifyZonesRequest.Response {
        if request.addsKeys {
            throw CabinetError(
                .serverRejectedRequest, "CloudKit Web Services has no keys of zones, for encrypted values.")
        }
        let changes =
            request.zonesToSave.map { (ownerRule.canonical($0.zoneID), false) }
            + request.zoneIDsToDelete.map { (ownerRule.canonical($0), true) }
        var results: [Result<RecordZone, CabinetError>] = []
        do {
            for part in changes.parts(of: CloudKitEndpoint.maximumCount) {
                let root = try await send(.zonesModify, to: request.scope, items: "zones") {
                    writer throws(CabinetError) in
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
                    results.append(try result(item, in: request.scope))
                }
            }
        } catch let error as CabinetError where !results.isEmpty {
            // The server has made the changes of the earlier requests.
            results += Array(repeating: .failure(error), count: changes.count - results.count)
        }
        return .init(
            Array(results.prefix(request.zonesToSave.count)),
            results.dropFirst(request.zonesToSave.count).map { result in
                if case .failure(let error) = result { error } else { nil }
            })
    }

    /// Reads a zone or an error in its position.
    private func result(
        _ node: JSONNode, in scope: DatabaseScope
    ) throws(CabinetError) -> Result<RecordZone, CabinetError> {
        if let error = try CloudKitFailure.read(node) { return .failure(error) }
        return .success(RecordZone(zoneID: reader(nil, in: scope).zone(try CloudKitZone.read(in: node))))
    }

    /// Returns the token of a position; `nil` at the beginning.
    private static func token(_ since: FeedPosition?) throws(CabinetError) -> String? {
        guard let since else { return nil }
        if let token = since.foreignToken { return token }
        throw CabinetError(.changeTokenExpired, "The change token is of another server. Fetch without a token.")
    }

    private static func limit(_ limit: Int?) throws(CabinetError) -> Int64? {
        try limit.map { limit throws(CabinetError) in Int64(try ChangeFeedRule.limit(limit)) }
    }

    /// Returns a page of the changed zones, with `changes/database`.
    public func response(to request: FetchDatabaseChangesRequest) async throws -> FetchDatabaseChangesRequest.Response {
        let (token, limit) = (try Self.token(request.since), try Self.limit(request.resultsLimit))
        let root = try await send(.changesDatabase, to: request.scope, items: "zones") { writer in
            if let token { writer.member("syncToken", token) }
            if let limit { writer.member("resultsLimit", limit) }
        }
        let reader = reader(nil, in: request.scope)
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
            modifications, deletions, position: FeedPosition(foreignToken: try root.required("syncToken").string()),
            moreComing: try root["moreComing"]?.bool() ?? false)
    }

    /// Returns a page of the changes in a zone, with `changes/zone`.
    public func response(to request: FetchZoneChangesRequest) async throws -> FetchZoneChangesRequest.Response {
        let (token, limit) = (try Self.token(request.since), try Self.limit(request.resultsLimit))
        let request = ownerRule.canonical(request)
        let root = try await send(.changesZone, to: request.scope, items: "zones") { writer throws(CabinetError) in
            try writer.member("zones", [request.zoneID]) { writer, zoneID throws(CabinetError) in
                try writer.object { writer throws(CabinetError) in
                    try writer.zone(zoneID, userRecordName)
                    if let token { writer.member("syncToken", token) }
                }
            }
            if let keys = request.desiredKeys { try writer.member("desiredKeys", keys) }
            if let limit { writer.member("resultsLimit", limit) }
        }
        let zone = try Self.items(root, "zones", count: 1)[0]
        if let error = try CloudKitFailure.read(zone) { throw error }
        // One value that cannot be read must not keep all later changes away.
        let reader = reader(
            request.zoneID, in: request.scope, isPartial: request.desiredKeys != nil, skipsUnreadable: true)
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
            records, deletions, position: FeedPosition(foreignToken: try zone.required("syncToken").string()),
            moreComing: try zone["moreComing"]?.bool() ?? false)
    }
}
