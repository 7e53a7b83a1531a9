extension LocalRequestHandler {
    func response(to request: AggregateRequest) async throws -> AggregateRequest.Response {
        let request = ownerRule.canonical(request)
        let database = try accountRule.databaseToRead(request.scope)
        let keys = (request.aggregate == nil ? [] : [request.key]) + [request.group].compactMap(\.self)
        try await admit(request.query, valuesOf: keys, zoneID: request.zoneID, scope: request.scope, to: database)
        return try await read(database) { snapshot in
            let plan = try await plan(
                request.query, valuesOf: keys, zoneID: request.zoneID, scope: request.scope, in: snapshot
            ).unordered()
            if let aggregate = request.aggregate { try plan.validate(aggregate, over: request.key) }
            if let group = request.group { try plan.validateGrouping(by: group) }
            return AggregateRequest.Response(groups: try await snapshot.groups(of: request, matching: plan))
        }
    }
}

extension StorageSnapshot {
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
