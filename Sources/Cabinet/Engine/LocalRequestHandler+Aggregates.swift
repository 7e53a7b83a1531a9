extension LocalRequestHandler {
    func response(to request: AggregateRequest) async throws -> AggregateRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let request = ownerRule.canonical(request)
        let database = try databaseToRead(request.scope)
        let keys = request.keys
        try await admit(request.query, valuesOf: keys, zoneID: request.zoneID, scope: request.scope, to: database)
        let isObserved = request.contributionLimit != nil && route == nil
        let history = isObserved ? service.tracker.currentHistory(of: database) : nil
        let signalCount = history?.signalCount ?? 0
        return try await read(database) { [request] snapshot in
            var request = request
            let plan = try await plan(
                request.query, valuesOf: keys, zoneID: request.zoneID, scope: request.scope, in: snapshot
            ).unordered()
            if let aggregate = request.aggregate { try plan.validate(aggregate, over: request.key) }
            if let group = request.group { try plan.validateGrouping(by: group) }
            request.key = plan.readableKey(request.key)
            request.group = request.group.map(plan.readableKey)
            guard let limit = request.contributionLimit else {
                return AggregateRequest.Response(groups: try await snapshot.groups(of: request, matching: plan))
            }
            let contributions = try await snapshot.contributions(to: request, matching: plan, upTo: limit)
            let groups =
                if let contributions { try request.groups(of: contributions) } else {
                    try await snapshot.groups(of: request, matching: plan)
                }
            let version = try await DatabaseVersion.read(in: snapshot)
            history?.begin(at: version, signalCount: signalCount)
            let permissions = try await permissions(
                in: request.scope, version.schema, [request.zoneID].compactMap(\.self), from: snapshot)
            return AggregateRequest.Response(
                groups: groups, contributions: contributions,
                basis: LiveBasis(plan.fields, end: version.end, readAccess: permissions.readAccess))
        }
    }
}

extension StorageSnapshot {
    /// Returns what each record of a plan contributes to an aggregate.
    ///
    /// - Returns: The contributions; `nil` if they are more than the limit, or if another record can change them.
    fileprivate func contributions(
        to request: AggregateRequest, matching plan: QueryPlan, upTo limit: Int
    ) async throws -> [AggregateContribution]? {
        let limit = min(limit, AggregateRequest.maximumContributions)
        if limit <= 0 || request.followsReferences { return nil }
        let records = try await records(matching: plan.scan(reading: request.keys, limit: limit + 1))
        if records.count > limit { return nil }
        var reader = ContributionReader(request)
        return try records.map { try reader.contribution(of: $0) }
    }

    fileprivate func groups(of request: AggregateRequest, matching plan: QueryPlan) async throws -> [AggregateGroup] {
        switch (request.aggregate, request.group) {
        case (nil, nil):
            [AggregateGroup(value: nil, result: .int64(Int64(try await count(matching: plan))))]
        case (nil, let group?):
            try await counts(by: group, matching: plan).map {
                AggregateGroup(value: $0.value, result: .int64(Int64($0.count)))
            }
        case (let aggregate?, nil):
            [AggregateGroup(value: nil, result: try await value(of: aggregate, over: request.key, matching: plan))]
        case (let aggregate?, let group?):
            try await groups(of: aggregate, over: request.key, by: group, matching: plan)
        }
    }
}
