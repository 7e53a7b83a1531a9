extension LocalDatabaseService {
    func observe(_ request: QueryRequest) throws -> QueryObservation {
        let request = ownerRule.canonical(request)
        let database = try accountRule.databaseToRead(request.scope)
        try check(request.query, reading: request.desiredKeys, zoneID: request.zoneID, scope: request.scope)
        let query = LiveQuery(service: self, database: database, request: request)
        return QueryObservation(next: query.next)
    }
}
