extension Database {
    /// Fetches all records of a query, page by page.
    ///
    /// - Parameters:
    ///   - query: Which records to find, and their order.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    ///   - desiredKeys: The fields to fetch; `nil` for all, an empty array for none.
    ///   - limit: The most records to fetch, the first ones in the query's order; `nil` for all.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the limit is negative, and what
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    public func allRecords(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil,
        limit: Int? = nil
    ) async throws -> [Record] {
        let limit = limit ?? .max
        guard limit >= 0 else {
            throw CabinetError(.invalidArguments, "The limit is \(limit); expected 0 or more, or nil for all records.")
        }
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
    ///     matching: Query(recordType: "Notes", sortedBy: [.descending("creationDate")]))
    /// ```
    ///
    /// - Parameters:
    ///   - query: Which records to find, and their order.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - desiredKeys: The fields to fetch; `nil` for all, an empty array for none.
    /// - Returns: The first record in the query's order; `nil` if no record matches.
    /// - Throws: What ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    public func first(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil
    ) async throws -> Record? {
        try await page(of: query, inZoneWith: zoneID, after: nil, desiredKeys: desiredKeys, resultsLimit: 1).records
            .first
    }

    /// All records of a query, fetched page by page while they are iterated over.
    ///
    /// ```swift
    /// for try await item in database.recordSequence(matching: Query(recordType: "Items")) {
    ///     print(item["name"] as? String ?? "-")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - query: Which records to find, and their order.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    ///   - desiredKeys: The fields to fetch; `nil` for all, an empty array for none.
    ///   - pageSize: The number of records that are held at a time.
    public func recordSequence(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil,
        pageSize: Int = Query.defaultPageSize
    ) -> RecordSequence {
        RecordSequence(database: self, query: query, zoneID: zoneID, desiredKeys: desiredKeys, pageSize: pageSize)
    }

    /// The number of a query's records.
    ///
    /// - Parameters:
    ///   - query: Which records to count; its order does not matter.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    /// - Throws: What ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    public func count(matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil) async throws -> Int {
        try await service.count(CountRequest(scope: databaseScope, query: query, zoneID: try zone(zoneID)))
    }

    /// Fetches a record, changes it and saves it; and again, from the version that the server has then, as long as someone else
    /// saves it in between.
    ///
    /// ```swift
    /// try await database.update(item.recordID) { item in
    ///     item["number"] = (item["number"] ?? 1) + 1
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - recordID: The record to change.
    ///   - isolation: The actor that calls, on which `change` runs, so that it may use what belongs to the actor.
    ///   - change: Makes the change; runs once for each try. If it throws, nothing is saved.
    /// - Returns: The record as the server has it afterwards.
    /// - Throws: ``CabinetError/Code/unknownItem`` if the record does not exist or was deleted meanwhile, what `change` throws,
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled between two tries, and what ``save(_:)-(Record)`` throws.
    @discardableResult
    public func update(
        _ recordID: RecordID, isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Record) throws -> Void
    ) async throws -> Record {
        var record = try await self.record(for: recordID)
        while true {
            try change(&record)
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
