extension LocalDatabaseService {
    func value(_ request: AggregateRequest) async throws -> FieldValue? {
        let request = ownerRule.canonical(request)
        let database = try accountRule.databaseToRead(request.scope)
        try await admit(
            request.query, valuesOf: [request.key], zoneID: request.zoneID, scope: request.scope, to: database)
        return try await read(database) { snapshot in
            let plan = try await unorderedPlan(
                request.query, valuesOf: [request.key], zoneID: request.zoneID, scope: request.scope, in: snapshot)
            try plan.validate(request.aggregate, over: request.key)
            return try await snapshot.value(of: request.aggregate, over: request.key, matching: plan)
        }
    }

    func counts(_ request: ValueCountsRequest) async throws -> [ValueCount] {
        let request = ownerRule.canonical(request)
        let database = try accountRule.databaseToRead(request.scope)
        try await admit(
            request.query, valuesOf: [request.key], zoneID: request.zoneID, scope: request.scope, to: database)
        return try await read(database) { snapshot in
            let plan = try await unorderedPlan(
                request.query, valuesOf: [request.key], zoneID: request.zoneID, scope: request.scope, in: snapshot)
            try plan.validateGrouping(by: request.key)
            return try await snapshot.counts(by: request.key, matching: plan)
        }
    }

    func groups(_ request: GroupedAggregateRequest) async throws -> [AggregateGroup] {
        let request = ownerRule.canonical(request)
        let database = try accountRule.databaseToRead(request.scope)
        try await admit(
            request.query, valuesOf: [request.key, request.group], zoneID: request.zoneID, scope: request.scope,
            to: database)
        return try await read(database) { snapshot in
            let plan = try await unorderedPlan(
                request.query, valuesOf: [request.key, request.group], zoneID: request.zoneID, scope: request.scope,
                in: snapshot)
            try plan.validate(request.aggregate, over: request.key)
            try plan.validateGrouping(by: request.group)
            return try await snapshot.groups(
                of: request.aggregate, over: request.key, by: request.group, matching: plan)
        }
    }

    /// Returns a plan without an order, which does not affect the result.
    private func unorderedPlan(
        _ query: Query, valuesOf keys: [Record.FieldKey], zoneID: RecordZone.ID?, scope: DatabaseScope,
        in snapshot: any StorageSnapshot
    ) async throws -> QueryPlan {
        try await plan(query, valuesOf: keys, zoneID: zoneID, scope: scope, in: snapshot).unordered()
    }
}
