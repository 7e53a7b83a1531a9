extension LocalDatabaseService {
    func value(_ request: AggregateRequest) async throws -> FieldValue? {
        let database = try accountRule.databaseToRead(request.scope)
        try Self.check(request.query, zoneID: request.zoneID, scope: request.scope)
        return try await read(database) { snapshot in
            let plan = try await Self.unorderedPlan(
                request.query, zoneID: request.zoneID, scope: request.scope, in: snapshot)
            try plan.validate(request.aggregate, over: request.key)
            return try await snapshot.value(of: request.aggregate, over: request.key, matching: plan)
        }
    }

    func counts(_ request: ValueCountsRequest) async throws -> [ValueCount] {
        let database = try accountRule.databaseToRead(request.scope)
        try Self.check(request.query, zoneID: request.zoneID, scope: request.scope)
        return try await read(database) { snapshot in
            let plan = try await Self.unorderedPlan(
                request.query, zoneID: request.zoneID, scope: request.scope, in: snapshot)
            try plan.validateGrouping(by: request.key)
            return try await snapshot.counts(by: request.key, matching: plan)
        }
    }

    /// A plan that makes sense, whose order is dropped because it does not matter.
    private static func unorderedPlan(
        _ query: Query, zoneID: RecordZone.ID?, scope: Database.Scope, in snapshot: any StorageSnapshot
    ) async throws -> QueryPlan {
        var plan = try await plan(query, zoneID: zoneID, scope: scope, in: snapshot)
        try plan.validate()
        plan.order = []
        return plan
    }
}
