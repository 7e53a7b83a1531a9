extension SharedRequestHandler {
    func response(to request: QueryRecordsRequest) async throws -> QueryRecordsRequest.Response {
        var request = local.ownerRule.canonical(request)
        request.reads = request.reads.map(local.ownerRule.canonical)
        let zoneID = try zone(of: request, reading: request.desiredKeys)
        if let reads = request.reads { _ = try commonRoute(to: [zoneID] + reads.zoneIDs) }
        let route = try route(to: zoneID)
        try await checkBeforePreparing(zoneID, route)
        let rule = route.ownerRule(of: user)
        request = rule.canonical(request)
        request.reads = request.reads.map(rule.canonical)
        var response = try await answering(route) { [request] in try await $0.response(to: request) }
        route.mapToCaller(&response.records, user)
        return response
    }

    func response(to request: AggregateRequest) async throws -> AggregateRequest.Response {
        let (route, request) = try await routed(request, valuesOf: request.keys)
        var response = try await answering(route) { try await $0.response(to: request) }
        response.mapRecordIDs(route.callerID)
        return response
    }

    func response(to request: ExplainQueryRequest) async throws -> ExplainQueryRequest.Response {
        let (route, request) = try await routed(request)
        var explanation = try await answering(route) { try await $0.response(to: request) }
        // The store's own words may count the owner's other records.
        explanation.details = []
        return explanation
    }

    func response(to request: ValidateQueryRequest) async throws -> EmptyResponse {
        let zoneID = request.zoneID.map(local.ownerRule.canonical)
        try local.check(request.query, reading: request.desiredKeys, zoneID: zoneID, scope: .shared)
        guard let zoneID, let route = ZoneRoute(toShared: zoneID, for: user),
            try await takesPart(inOneOf: [zoneID], route)
        else {
            // Without a zone to read, the query is checked against the empty schema.
            if local.strictSchema != nil { return EmptyResponse() }
            try StrictSchemaRule(StoredSchema()).check(request.query, desiredKeys: request.desiredKeys)
            return EmptyResponse()
        }
        return try await answering(route) { try await $0.response(to: request) }
    }

    func response(to request: FetchLiveChangesRequest) async throws -> FetchLiveChangesRequest.Response {
        var request = local.ownerRule.canonical(request)
        guard let zoneID = request.zoneID else { throw Self.zoneMissing }
        let route = try route(to: zoneID)
        request = route.ownerRule(of: user).canonical(request)
        var response = try await answering(route) { [request] in try await $0.response(to: request) }
        route.mapToCaller(&response.records, user)
        response.deletions = response.deletions.map(route.callerID)
        response.removedZones = response.removedZones.map {
            NumberedZone(zoneID: route.callerID($0.zoneID), number: $0.number)
        }
        return response
    }

    /// The error of a query without a zone.
    static let zoneMissing = CabinetError(
        .invalidArguments, "The shared database cannot be queried as a whole; name a zone that another user shares.")

    /// Returns the zone of a query.
    private func zone(
        of request: some QueryingRequest, reading desiredKeys: [Record.FieldKey]? = nil,
        valuesOf keys: [Record.FieldKey] = []
    ) throws -> RecordZone.ID {
        try local.check(request.query, reading: desiredKeys, zoneID: request.zoneID, scope: .shared)
        for key in keys { try local.strictSchema?.rule.check(key, of: request.query.recordType) }
        guard let zoneID = request.zoneID else { throw Self.zoneMissing }
        return zoneID
    }

    /// Returns the way of a query, and the query in the names of the owner's database.
    private func routed<Request: QueryingRequest>(
        _ request: Request, valuesOf keys: [Record.FieldKey] = []
    ) async throws -> (ZoneRoute, Request) {
        let request = local.ownerRule.canonical(request)
        let zoneID = try zone(of: request, valuesOf: keys)
        let route = try route(to: zoneID)
        try await checkBeforePreparing(zoneID, route)
        return (route, route.ownerRule(of: user).canonical(request))
    }
}
