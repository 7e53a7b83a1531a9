extension Database {
    /// Fetches all records of a query, page by page.
    ///
    /// - Parameters:
    ///   - query: Which records to find, and their order.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    ///   - desiredKeys: The fields to fetch; `nil` for all, an empty array for none.
    /// - Throws: What ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    public func allRecords(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil
    ) async throws -> [Record] {
        var records: [Record] = []
        for try await record in recordSequence(
            matching: query, inZoneWith: zoneID, desiredKeys: desiredKeys, pageSize: 4000)
        {
            records.append(record)
        }
        return records
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
        try await service.count(CountRequest(scope: databaseScope, query: query, zoneID: zoneID))
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
