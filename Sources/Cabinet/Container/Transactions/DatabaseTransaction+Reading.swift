import Foundation

extension Database.Transaction {
    /// Fetches a record by ID, or returns it as the transaction has read or saved it.
    ///
    /// - Parameter recordID: The record's ID.
    /// - Returns: The record with all its fields.
    /// - Throws: ``CabinetError/Code/unknownItem`` if the record does not exist: the transaction then depends on its absence. The
    ///   errors of ``records(for:)-([RecordID])``.
    public func record(for recordID: RecordID) async throws -> Record {
        try await results(for: [recordID]).onlyResult.get()
    }

    /// Fetches records by ID, in one request.
    ///
    /// - Parameter recordIDs: The records' IDs.
    /// - Returns: A record or an error for each ID, such as ``CabinetError/Code/unknownItem``.
    /// - Throws: ``CabinetError/Code/serverRecordChanged`` if an earlier read would have another result now.
    ///   ``CabinetError/Code/limitExceeded`` if the transaction reads too much. ``CabinetError/Code/invalidArguments`` if the
    ///   closure has returned. The errors of ``Database/records(for:desiredKeys:)``.
    public func records(for recordIDs: [RecordID]) async throws -> [RecordID: Result<Record, CabinetError>] {
        try Dictionary(try await results(for: recordIDs), of: recordIDs)
    }

    /// Fetches the records of a query, merged with the transaction's own writes.
    ///
    /// The transaction depends on the result: it conflicts with each save that adds a record to it, or changes one of it. Only a
    /// query with a key path through references conflicts with each change of the database. Such a query cannot follow a write.
    ///
    /// - Parameters:
    ///   - query: The query, which also gives the order of the records. A record that the transaction has saved counts with its
    ///     own fields, with the system values that it was read with and, if it is new, with the present time.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - limit: The maximum number of records, counted from the first in the query's order, or `nil` for all.
    /// - Returns: The records, in the query's order, with all their fields.
    /// - Throws: The errors of ``records(for:)-([RecordID])`` and of
    ///   ``Database/allRecords(matching:inZoneWith:desiredKeys:limit:)``.
    public func allRecords(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, limit: Int? = nil
    ) async throws -> [Record] {
        try Query.check(limit: limit)
        let request = owner.canonical(
            QueryRecordsRequest(
                scope: database.databaseScope, query: query, zoneID: try database.zone(zoneID), observes: true))
        return try await read { content in
            let writes = OwnWrites(content, in: request.zoneID)
            if !writes.isEmpty, request.query.followsReferences { throw OwnWrites.refusal }
            let limit = limit ?? .max
            var (records, basis) = try await pages(of: request, limit: limit.addingClamped(writes.count))
            if !writes.isEmpty, let basis {
                let user = database.client.userRecordName ?? ""
                records = try writes.merged(into: records, basis, of: request, user: user)
            }
            if records.count > limit { records.removeLast(records.count - limit) }
            return try await database.client.addingFiles(to: records, in: database.databaseScope)
        }
    }

    /// Fetches the first record of a query, merged with the transaction's own writes.
    ///
    /// - Parameters:
    ///   - query: The query, which also gives the order of the records.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: The first record in the query's order, or `nil` if no record matches.
    /// - Throws: The errors of ``allRecords(matching:inZoneWith:limit:)``.
    public func first(matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil) async throws -> Record? {
        try await allRecords(matching: query, inZoneWith: zoneID, limit: 1).first
    }

    private func results(for recordIDs: [RecordID]) async throws -> [Result<Record, CabinetError>] {
        try database.checkZones(of: recordIDs)
        let ids = recordIDs.map(owner.canonical)
        return try await read { content in
            var seen: Set<RecordID> = []
            let unknown = ids.filter {
                content.writes[$0] == nil && content.known[$0] == nil && seen.insert($0).inserted
            }
            var fetched: [RecordID: Result<Record, CabinetError>] = [:]
            if !unknown.isEmpty {
                if content.reads.count + unknown.count > TransactionReads.maximumCount { throw TransactionReads.excess }
                fetched = try await fetch(unknown, content.reads)
            }
            return ids.map { id in
                if let write = content.writes[id] { return write.map { .success($0) } ?? .failure(Self.deleted(id)) }
                return content.known[id] ?? fetched[id] ?? .failure(Self.deleted(id))
            }
        }
    }

    private func fetch(
        _ ids: [RecordID], _ reads: TransactionReads
    ) async throws -> [RecordID: Result<Record, CabinetError>] {
        let client = database.client
        let response = try await client.perform(
            FetchRecordsRequest(scope: database.databaseScope, recordIDs: ids, reads: reads))
        var fetched = try Dictionary(response.results, of: ids)
        for (id, result) in fetched {
            guard let record = result.record, record.lacksFiles else { continue }
            fetched[id] = .success(try await client.addingFiles(to: record, in: database.databaseScope))
        }
        try add(ids.compactMap { id in fetched[id].map { (id, $0) } }, at: response.end)
        return fetched
    }

    /// Fetches the pages of a query, all of one state.
    private func pages(
        of request: QueryRecordsRequest, limit: Int
    ) async throws -> (records: [Record], basis: LiveBasis?) {
        var request = request
        var records: [Record] = []
        var basis: LiveBasis?
        let query = ReadQuery(query: request.query, zoneID: request.zoneID)
        repeat {
            let reads = current.reads
            request.reads = reads
            // One more record than the transaction may read shows that there are too many.
            request.resultsLimit = min(limit - records.count, TransactionReads.maximumCount - reads.count + 1)
            if request.resultsLimit <= 0 { break }
            let response = try await database.client.perform(request)
            try add(response.records.map { ($0.recordID, .success($0)) }, of: query, at: response.basis?.end)
            records += response.records
            basis = response.basis
            request.position = response.position
        } while request.position != nil
        return (records, basis)
    }

    private static func deleted(_ id: RecordID) -> CabinetError {
        CabinetError(.unknownItem, "The transaction has deleted the record.", recordID: id)
    }
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? .max : sum
    }
}
