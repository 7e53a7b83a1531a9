extension Database {
    /// Fetches all records of a query, page by page.
    ///
    /// - Parameters:
    ///   - query: The query, which also gives the order of the records.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - desiredKeys: The fields to fetch, or `nil` for all. An empty array fetches no fields.
    ///   - limit: The maximum number of records, counted from the first in the query's order, or `nil` for all.
    /// - Returns: The records, in the query's order.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the limit is negative, and the errors of
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    public func allRecords(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil,
        limit: Int? = nil
    ) async throws -> [Record] {
        try Query.check(limit: limit)
        let limit = limit ?? .max
        var records: [Record] = []
        if limit == 0 { return records }
        let sequence = recordSequence(
            matching: query, inZoneWith: zoneID, desiredKeys: desiredKeys, pageSize: min(limit, 4000))
        for try await record in sequence {
            records.append(record)
            if records.count == limit { break }
        }
        return records
    }

    /// Fetches the first record of a query.
    ///
    /// ```swift
    /// let newest = try await database.first(
    ///     matching: Query(
    ///         recordType: "Notes", sortedBy: [.descending("creationDate")]))
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query, which also gives the order of the records.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - desiredKeys: The fields to fetch, or `nil` for all. An empty array fetches no fields.
    /// - Returns: The first record in the query's order, or `nil` if no record matches.
    /// - Throws: The errors of ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    public func first(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil
    ) async throws -> Record? {
        try await page(of: query, inZoneWith: zoneID, after: nil, desiredKeys: desiredKeys, resultsLimit: 1).records
            .first
    }

    /// Returns a sequence of a query's records, which fetches them page by page.
    ///
    /// ```swift
    /// let query = Query(recordType: "Items")
    /// for try await item in database.recordSequence(matching: query) {
    ///     print(item["name"] as? String ?? "-")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query, which also gives the order of the records.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - desiredKeys: The fields to fetch, or `nil` for all. An empty array fetches no fields.
    ///   - pageSize: The number of records in a page. The sequence holds one page in memory.
    /// - Returns: The sequence, which throws the errors of ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    public func recordSequence(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil,
        pageSize: Int = Query.defaultPageSize
    ) -> RecordSequence {
        RecordSequence(database: self, query: query, zoneID: zoneID, desiredKeys: desiredKeys, pageSize: pageSize)
    }

    /// Returns the number of a query's records.
    ///
    /// - Parameters:
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Throws: The errors of ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    public func count(matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil) async throws -> Int {
        try await client.perform(AggregateRequest(scope: databaseScope, query: query, zoneID: try zone(zoneID)))
            .groups.onlyResult.count
    }

    /// Fetches a record, changes it and saves it, and repeats this on a conflict.
    ///
    /// After a conflict, the change is applied to the version that the server has then.
    ///
    /// ```swift
    /// try await database.update(item.recordID) { item in
    ///     item["number"] = (item["number"] ?? 1) + 1
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - recordID: The ID of the record to change.
    ///   - isolation: The calling actor, on which `change` runs, so that it may use the state of the actor.
    ///   - change: A closure that changes the record. It runs once for each attempt. If it throws, nothing is saved.
    /// - Returns: The record as the server has stored it.
    /// - Throws: ``CabinetError/Code/unknownItem`` if the record does not exist, or is deleted during the call. The
    ///   errors of `change`. ``CabinetError/Code/invalidArguments`` if it replaces the record by another one, or by another
    ///   version. ``CabinetError/Code/operationCancelled`` if the task is cancelled between two attempts.
    ///   The errors of ``save(_:)-(Record)``.
    @discardableResult
    public func update(
        _ recordID: RecordID, isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Record) throws -> Void
    ) async throws -> Record {
        var record = try await self.record(for: recordID)
        while true {
            let (id, tag) = (record.recordID, record.recordChangeTag)
            try change(&record)
            // A version that is not the server's would be in conflict each time.
            guard record.recordID == id, record.recordChangeTag == tag else {
                throw CabinetError(
                    .invalidArguments,
                    "The closure replaced the record by another one, or by another version. Change the record that it gets.",
                    recordID: id)
            }
            do {
                return try await save(record)
            } catch let error as CabinetError where error.code == .serverRecordChanged {
                guard let serverRecord = error.serverRecord else { throw error }
                if Task.isCancelled {
                    throw CabinetError(
                        .operationCancelled, "The task was cancelled before the record could be saved.",
                        recordID: recordID, underlyingError: error)
                }
                record = serverRecord
            }
        }
    }
}

extension Query {
    /// Throws if a limit is negative.
    static func check(limit: Int?) throws(CabinetError) {
        if let limit, limit < 0 {
            throw CabinetError(.invalidArguments, "The limit is \(limit); expected 0 or more, or nil for all records.")
        }
    }
}
