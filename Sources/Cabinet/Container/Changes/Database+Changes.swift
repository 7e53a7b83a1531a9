extension Database {
    /// Fetches a page of the zones that have changed or were deleted.
    ///
    /// A zone that was deleted and recreated is in both lists. Apply the deletions first.
    ///
    /// - Parameters:
    ///   - changeToken: The token of the last page, or `nil` to begin.
    ///   - resultsLimit: The maximum number of zones, or `nil` to let the service decide.
    /// - Returns: The zones, a token for the next call, and whether more changes exist already.
    /// - Throws: ``CabinetError/Code/changeTokenExpired`` if deletions of zones since the token were forgotten
    ///   (``ChangeRetention``), the store was replaced by an older one, or the token is of the store that the database was
    ///   copied from. Discard the known zones then, and begin again without a token.
    ///   ``CabinetError/Code/invalidArguments`` if the token is of another database or of a zone, or if the limit is less than 1.
    ///   ``CabinetError/Code/notAuthenticated`` without an account. ``CabinetError/Code/operationCancelled`` if the
    ///   task is cancelled. The failures of the store.
    /// - Complexity: Proportional to the number of existing zones and of those that were deleted since the token.
    public func databaseChanges(
        since changeToken: ServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: ServerChangeToken, moreComing: Bool
    ) {
        try check(changeToken, zoneID: nil)
        var response = try await client.perform(
            FetchDatabaseChangesRequest(scope: databaseScope, since: changeToken?.position, resultsLimit: resultsLimit))
        var revokedKeyCount: Int?
        if let encryption = client.encryption {
            (response, revokedKeyCount) = try await encryption.reportingResets(
                response, since: changeToken, in: databaseScope)
        }
        var token = token(response.position, zoneID: nil)
        token.revokedKeyCount = revokedKeyCount
        return (response.modifications, response.deletions, token, response.moreComing)
    }

    /// Fetches a page of the changes in a zone.
    ///
    /// Each record is returned once, in its current version. Records that a delete rule deleted or changed are among
    /// the changes. <doc:TwoDevices> builds synchronization on this method.
    ///
    /// ```swift
    /// let changes = try await database.recordZoneChanges(
    ///     inZoneWith: zone.zoneID, since: token)
    /// ```
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - changeToken: The token of the last page, or `nil` to begin.
    ///   - desiredKeys: The fields to fetch, or `nil` for all. An empty array fetches no fields.
    ///   - resultsLimit: The maximum number of changes, or `nil` to let the service decide.
    /// - Returns: The records, the deletions, a token for the next call, and whether more changes exist already. For an
    ///   order in which references point backwards, use
    ///   ``recordZoneChangeSequence(inZoneWith:since:desiredKeys:pageSize:)``.
    /// - Throws: ``CabinetError/Code/changeTokenExpired`` if tombstones since the token were removed, the zone was
    ///   recreated, the store was replaced by an older one, or the database was copied from another store. The token of a shared
    ///   zone also expires if the user has accepted or left a share of it since. In the public database, it expires if the user may
    ///   read other records than before. Discard the known records of the zone and begin again without a token.
    ///   ``CabinetError/Code/zoneNotFound`` if the zone does not exist.
    ///   ``CabinetError/Code/invalidArguments`` if the token is of another database or zone, or if the limit is less than 1.
    ///   ``CabinetError/Code/notAuthenticated`` without an account. ``CabinetError/Code/operationCancelled`` if the
    ///   task is cancelled. The failures of the store.
    /// - Complexity: Proportional to the number of changes, not of records.
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

    /// Fetches the same page with the targets of references before the records that refer to them, except in cycles.
    func recordZoneChangePage(
        inZoneWith zoneID: RecordZone.ID, since changeToken: ServerChangeToken?, desiredKeys: [Record.FieldKey]?,
        resultsLimit: Int?
    ) async throws -> RecordZoneChangePage {
        let zoneID = OwnerRule(user: client.userRecordName).canonical(zoneID)
        if let violation = zoneViolation(zoneID) { throw violation }
        try check(changeToken, zoneID: zoneID)
        let response = try await client.perform(
            FetchZoneChangesRequest(
                scope: databaseScope, zoneID: zoneID, since: changeToken?.position,
                desiredKeys: desiredKeys?.withoutRepetitions, resultsLimit: resultsLimit))
        return RecordZoneChangePage(
            modifications: try await client.addingFiles(to: response.records, in: databaseScope).map {
                RecordZoneChange.Modification(record: $0)
            },
            deletions: response.deletions, changeToken: token(response.position, zoneID: zoneID),
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

    /// Returns a token for a position in the changes of the database, or of a zone.
    func token(_ position: FeedPosition, zoneID: RecordZone.ID?) -> ServerChangeToken {
        ServerChangeToken(
            number: position.number, horizon: position.tombstoneHorizon, end: position.end,
            readAccess: position.readAccess,
            zones: position.zonePairs, foreignToken: position.foreignToken, zoneID: zoneID, origin: origin)
    }
}

extension ServerChangeToken {
    var position: FeedPosition {
        var position = FeedPosition(
            number: number, tombstoneHorizon: horizon, end: end, readAccess: readAccess, foreignToken: foreignToken)
        position.zonePairs = zones
        return position
    }
}
