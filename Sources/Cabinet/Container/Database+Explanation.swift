extension Database {
    /// Explains how the store finds a query's records, without running the query.
    ///
    /// ```swift
    /// print(try await database.explain(query))
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: The part of the query that the store evaluates, the index that it uses, and the part that is
    ///   evaluated for the remaining records. The text is for people, and may change with the store and its content.
    /// - Throws: The errors of ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    public func explain(_ query: Query, inZoneWith zoneID: RecordZone.ID? = nil) async throws -> QueryExplanation {
        try await client.perform(ExplainQueryRequest(scope: databaseScope, query: query, zoneID: try zone(zoneID)))
    }
}
