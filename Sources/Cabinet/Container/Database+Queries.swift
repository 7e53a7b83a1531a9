extension Database {
    /// Fetches the first page of a query's records.
    ///
    /// - Parameters:
    ///   - query: Which records to find, and their order.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    ///   - desiredKeys: The fields to fetch; `nil` for all, an empty array for none.
    ///   - resultsLimit: The most records of the page; ``Query/maximumResults`` leaves it to the service.
    /// - Returns: The page, and a cursor with which the next one is fetched, or `nil` if there are no more records.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter does not fit the fields' types, or if the container is strict and
    ///   its schema does not declare the record type or a field, see ``SchemaMode``; ``CabinetError/Code/notAuthenticated``;
    ///   ``CabinetError/Code/zoneNotFound``; ``CabinetError/Code/limitExceeded`` if the query takes more work than
    ///   ``Limits/workPerRequest``; ``CabinetError/Code/operationCancelled`` if the task is cancelled; and the store's failures.
    /// - Complexity: The same for every page: a page begins where the one before it ended, however many came before.
    public func records(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil,
        resultsLimit: Int = Query.maximumResults
    ) async throws -> (matchResults: [(RecordID, Result<Record, CabinetError>)], queryCursor: Query.Cursor?) {
        let page = try await page(
            of: query, inZoneWith: zoneID, after: nil, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        return (page.records.map { ($0.recordID, .success($0)) }, page.cursor)
    }

    /// Fetches the page of a query's records that a cursor stands for.
    ///
    /// Records that others save or delete meanwhile neither repeat nor hide the records of later pages.
    ///
    /// - Parameters:
    ///   - queryCursor: What an earlier page came with; it can be encoded, and stays valid when the program is started anew.
    ///   - desiredKeys: The fields to fetch; `nil` for all, an empty array for none.
    ///   - resultsLimit: The most records of the page; ``Query/maximumResults`` leaves it to the service.
    /// - Returns: The page, and a cursor with which the next one is fetched, or `nil` if there are no more records.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the cursor is of another database, and what
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
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
        let response = try await service.query(
            QueryRequest(
                scope: databaseScope, query: query, zoneID: zoneID, position: position,
                desiredKeys: desiredKeys?.withoutRepetitions, resultsLimit: resultsLimit))
        let cursor = response.position.map {
            Query.Cursor(query: query, zoneID: zoneID, position: $0, origin: origin)
        }
        return (response.records, cursor)
    }

    /// What a cursor of this database is marked with.
    var origin: Query.Cursor.Origin {
        Query.Cursor.Origin(
            containerIdentifier: containerIdentifier, scope: databaseScope,
            userRecordName: databaseScope == .public ? nil : service.userRecordName)
    }
}

extension Query.Cursor.Origin {
    /// Creates the origin of what is read from a database.
    init(containerIdentifier: String, scope: Database.Scope, userRecordName: String?) {
        self.init(containerIdentifier: containerIdentifier, scope: scope.rawValue, userRecordName: userRecordName)
    }
}
