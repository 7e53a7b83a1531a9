extension LocalRequestHandler {
    func response(to request: ExplainQueryRequest) async throws -> QueryExplanation {
        let request = ownerRule.canonical(request)
        let database = try accountRule.databaseToRead(request.scope)
        try await admit(request.query, zoneID: request.zoneID, scope: request.scope, to: database)
        return try await read(database) { snapshot in
            let plan = try await plan(request.query, zoneID: request.zoneID, scope: request.scope, in: snapshot)
            return try await snapshot.explanation(of: plan)
        }
    }
}
