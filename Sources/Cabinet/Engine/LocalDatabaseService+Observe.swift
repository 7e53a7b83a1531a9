extension LocalDatabaseService {
    func observe(_ request: QueryRequest) throws -> LiveQuery {
        let request = ownerRule.canonical(request)
        let database = try accountRule.databaseToRead(request.scope)
        try check(request.query, reading: request.desiredKeys, zoneID: request.zoneID, scope: request.scope)
        return LiveQuery(service: self, database: database, request: request)
    }
}
