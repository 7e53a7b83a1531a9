extension Database {
    /// Fetches in which zones something has changed, and which zones were deleted, one page of it.
    ///
    /// A zone that was deleted and made anew is among both: take the deletions first.
    ///
    /// - Parameters:
    ///   - changeToken: What is known, or `nil` if nothing is.
    ///   - resultsLimit: The most zones to return; `nil` leaves it to the service.
    /// - Returns: The zones, a token with which to ask next time, and whether there is more already.
    /// - Throws: ``CabinetError/Code/changeTokenExpired`` if the token is of a store that has been replaced by an older one, or that
    ///   the database was copied from: forget what is known, and begin again without a token; ``CabinetError/Code/invalidArguments`` if it is of another database, or of a
    ///   zone; ``CabinetError/Code/notAuthenticated``, ``CabinetError/Code/operationCancelled`` if the task is cancelled, and the store's failures.
    /// - Complexity: proportional to the number of zones that have changed.
    public func databaseChanges(
        since changeToken: ServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: ServerChangeToken, moreComing: Bool
    ) {
        try check(changeToken, zoneID: nil)
        let response = try await service.databaseChanges(
            DatabaseChangesRequest(scope: databaseScope, since: changeToken?.place, resultsLimit: resultsLimit))
        return (response.modifications, response.deletions, token(response.place, zoneID: nil), response.moreComing)
    }

    /// Fetches what has changed in a zone, one page of it.
    ///
    /// Each record comes once, as it is now. Records that were deleted by a delete rule, and those that lost a reference by one, are
    /// among the changes.
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - changeToken: What is known, or `nil` if nothing is.
    ///   - desiredKeys: The fields to fetch; `nil` for all, an empty array for none.
    ///   - resultsLimit: The most changes to return; `nil` leaves it to the service.
    /// - Returns: The records, the deletions, a token with which to ask next time, and whether there is more already. To get records
    ///   in an order in which references point backwards, use ``recordZoneChangeSequence(inZoneWith:since:desiredKeys:pageSize:)``.
    /// - Throws: ``CabinetError/Code/changeTokenExpired`` if deletions since the token are not remembered any more, if the zone was
    ///   made anew since, or if the database was copied from another store: forget what is known of the zone, and begin again without a token;
    ///   ``CabinetError/Code/zoneNotFound``; ``CabinetError/Code/invalidArguments`` if the token is of another database or zone;
    ///   ``CabinetError/Code/notAuthenticated``, ``CabinetError/Code/operationCancelled`` if the task is cancelled, and the store's failures.
    /// - Complexity: proportional to the number of changes, not of records.
    public func recordZoneChanges(
        inZoneWith zoneID: RecordZone.ID, since changeToken: ServerChangeToken?,
        desiredKeys: [Record.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [RecordID: Result<RecordZoneChange.Modification, CabinetError>],
        deletions: [RecordZoneChange.Deletion], changeToken: ServerChangeToken, moreComing: Bool
    ) {
        let page = try await recordZoneChangePage(
            inZoneWith: zoneID, since: changeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        let modifications = page.modifications.map { ($0.record.recordID, Result<_, CabinetError>.success($0)) }
        return (
            Dictionary(modifications, uniquingKeysWith: { first, _ in first }), page.deletions, page.changeToken,
            page.moreComing
        )
    }

    /// The same, with the records in an order in which references point backwards, as far as there is one.
    func recordZoneChangePage(
        inZoneWith zoneID: RecordZone.ID, since changeToken: ServerChangeToken?, desiredKeys: [Record.FieldKey]?,
        resultsLimit: Int?
    ) async throws -> RecordZoneChangePage {
        let zoneID = OwnerRule(user: service.userRecordName).canonical(zoneID)
        if let violation = zoneViolation(zoneID) { throw violation }
        try check(changeToken, zoneID: zoneID)
        let response = try await service.zoneChanges(
            ZoneChangesRequest(
                scope: databaseScope, zoneID: zoneID, since: changeToken?.place,
                desiredKeys: desiredKeys?.withoutRepetitions, resultsLimit: resultsLimit))
        return RecordZoneChangePage(
            modifications: response.records.map { RecordZoneChange.Modification(record: $0) },
            deletions: response.deletions, changeToken: token(response.place, zoneID: zoneID),
            moreComing: response.moreComing)
    }

    private func check(_ token: ServerChangeToken?, zoneID: RecordZone.ID?) throws {
        guard let token else { return }
        if token.origin != origin {
            throw CabinetError(
                .invalidArguments,
                "The change token is of another database. Use it where it came from: in the same container, scope, and account."
            )
        }
        if token.zoneID != zoneID {
            func subject(_ zoneID: RecordZone.ID?) -> String { zoneID.map { "the zone '\($0)'" } ?? "the database" }
            throw CabinetError(
                .invalidArguments,
                "The change token is of \(subject(token.zoneID)), and the changes are those of \(subject(zoneID)).")
        }
    }

    /// A token for a place in the changes of the database, or of a zone.
    func token(_ place: FeedPosition, zoneID: RecordZone.ID?) -> ServerChangeToken {
        ServerChangeToken(
            number: place.number, horizon: place.horizon, end: place.end, zoneID: zoneID, origin: origin)
    }
}

extension ServerChangeToken {
    fileprivate var place: FeedPosition { FeedPosition(number: number, horizon: horizon, end: end) }
}
