extension Database {
    /// Tells how the store finds a query's records, without finding them.
    ///
    /// ```swift
    /// print(try await database.explain(query))
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    /// - Returns: What the store decides itself, which index it uses, and what is evaluated for the records that remain. It is
    ///   written for people, and may change with the store and its content.
    /// - Throws: What ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    public func explain(_ query: Query, inZoneWith zoneID: RecordZone.ID? = nil) async throws -> QueryExplanation {
        try await service.explain(ExplainRequest(scope: databaseScope, query: query, zoneID: try zone(zoneID)))
    }
}
