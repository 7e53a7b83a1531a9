extension Database {
    /// Fetches the first page of a query's records.
    ///
    /// ```swift
    /// let page = try await database.records(matching: query, resultsLimit: 50)
    /// let items = page.matchResults.compactMap { $0.1.record }
    /// if let cursor = page.queryCursor {
    ///     let next = try await database.records(continuingMatchFrom: cursor)
    /// }
    /// ```
    ///
    /// ``allRecords(matching:inZoneWith:desiredKeys:limit:)`` fetches all pages. See <doc:Filters>.
    ///
    /// - Parameters:
    ///   - query: The query, which also gives the order of the records.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - desiredKeys: The fields to fetch, or `nil` for all. An empty array fetches no fields.
    ///   - resultsLimit: The maximum number of records in the page. With ``Query/maximumResults`` the service decides.
    /// - Returns: The records of the page, each with its result, and a cursor that fetches the next page, or `nil` if
    ///   there are no more records.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter does not fit the fields' types, or if the
    ///   container is strict and its schema does not declare the record type or a field (see ``SchemaMode``). The same code if a
    ///   query of the shared database names no zone, or if the limit is negative.
    ///   ``CabinetError/Code/notAuthenticated`` if the database needs an account and the container has none.
    ///   ``CabinetError/Code/zoneNotFound`` if the zone does not exist. ``CabinetError/Code/limitExceeded`` if the
    ///   query takes more work than ``Limits/workPerRequest``. ``CabinetError/Code/operationCancelled`` if the task is
    ///   cancelled. The failures of the store.
    /// - Complexity: The same for every page. A page starts where the previous one ended, so earlier pages are not read
    ///   again.
    public func records(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil,
        resultsLimit: Int = Query.maximumResults
    ) async throws -> (matchResults: [(RecordID, Result<Record, CabinetError>)], queryCursor: Query.Cursor?) {
        let page = try await page(
            of: query, inZoneWith: zoneID, after: nil, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        return (page.records.map { ($0.recordID, .success($0)) }, page.cursor)
    }

    /// Fetches the next page of a query's records.
    ///
    /// Records that other clients save or delete between two pages neither repeat nor hide the records of later pages.
    ///
    /// - Parameters:
    ///   - queryCursor: The cursor of an earlier page. It can be encoded, and stays valid after a restart of the
    ///     program.
    ///   - desiredKeys: The fields to fetch, or `nil` for all. An empty array fetches no fields.
    ///   - resultsLimit: The maximum number of records in the page. With ``Query/maximumResults`` the service decides.
    /// - Returns: The records of the page, each with its result, and a cursor that fetches the next page, or `nil` if
    ///   there are no more records.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the cursor is of another database, and the errors of
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    public func records(
        continuingMatchFrom queryCursor: Query.Cursor, desiredKeys: [Record.FieldKey]? = nil,
        resultsLimit: Int = Query.maximumResults
    ) async throws -> (matchResults: [(RecordID, Result<Record, CabinetError>)], queryCursor: Query.Cursor?) {
        guard queryCursor.origin == origin else {
            throw CabinetError(
                .invalidArguments,
                "The cursor is of another database. A cursor continues a query where it began: in the same container, scope, and account."
            )
        }
        if let zoneID, queryCursor.zoneID == nil {
            throw CabinetError(
                .invalidArguments,
                "The cursor continues a query of all zones, and this database is limited to the zone '\(zoneID)'. Continue it with the database without inZone(_:)."
            )
        }
        let page = try await page(
            of: queryCursor.query, inZoneWith: queryCursor.zoneID, after: queryCursor.position,
            desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        return (page.records.map { ($0.recordID, .success($0)) }, page.cursor)
    }

    /// Fetches a page of a query's records.
    func page(
        of query: Query, inZoneWith zoneID: RecordZone.ID?, after position: QueryPosition?,
        desiredKeys: [Record.FieldKey]?, resultsLimit: Int
    ) async throws -> (records: [Record], cursor: Query.Cursor?) {
        let zoneID = try zone(zoneID)
        let response = try await client.perform(
            QueryRecordsRequest(
                scope: databaseScope, query: query, zoneID: zoneID, position: position,
                desiredKeys: desiredKeys?.withoutRepetitions, resultsLimit: resultsLimit))
        let cursor = response.position.map {
            Query.Cursor(query: query, zoneID: zoneID, position: $0, origin: origin)
        }
        guard response.mayHaveAssets else { return (response.records, cursor) }
        return (try await client.addingFiles(to: response.records, in: databaseScope), cursor)
    }

    /// The mark of this database in its cursors.
    var origin: Query.Cursor.Origin {
        Query.Cursor.Origin(
            containerIdentifier: client.containerIdentifier, scope: databaseScope,
            userRecordName: databaseScope == .public ? nil : client.userRecordName)
    }
}

extension Query.Cursor.Origin {
    /// Creates the mark of a database.
    init(containerIdentifier: String, scope: Database.Scope, userRecordName: String?) {
        self.init(containerIdentifier: containerIdentifier, scope: scope.rawValue, userRecordName: userRecordName)
    }
}

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
