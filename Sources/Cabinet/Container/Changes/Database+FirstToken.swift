extension Database {
    /// Saves and deletes records of one zone in one transaction, and returns a token for the first fetch of the zone's
    /// changes.
    ///
    /// A fetch without a token returns no deletions. A device that sends records before its first fetch would therefore
    /// permanently keep records that other devices delete in between. With this token, the first fetch returns every
    /// record of the zone, as a fetch without a token does, and also the deletions after this call.
    ///
    /// ```swift
    /// let (saveResults, _, changeToken) = try await database.modifyRecords(
    ///     saving: unsent, deleting: [], inZoneWith: zone.zoneID)
    /// // Later, the first fetch:
    /// let changes = try await database.recordZoneChanges(
    ///     inZoneWith: zone.zoneID, since: changeToken)
    /// ```
    ///
    /// The token stands for no known changes, not even those of this call. A device that has a token from a fetch keeps
    /// that one.
    ///
    /// - Parameters:
    ///   - recordsToSave: The records to save, all in the zone; each ID once.
    ///   - recordIDsToDelete: The records to delete, all in the zone; each ID once, and none that is also saved.
    ///   - zoneID: The zone.
    ///   - savePolicy: The rule that decides which saves conflict and which fields are sent.
    ///   - atomically: Whether the failure of one record leaves all records unchanged, and is thrown.
    /// - Returns: The result for each record, and the token.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a record is in another zone, and the errors of
    ///   ``modifyRecords(saving:deleting:savePolicy:atomically:)``.
    public func modifyRecords(
        saving recordsToSave: [Record], deleting recordIDsToDelete: [RecordID], inZoneWith zoneID: RecordZone.ID,
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>],
        changeToken: ServerChangeToken
    ) {
        let rule = OwnerRule(user: client.userRecordName)
        let zoneID = rule.canonical(zoneID)
        for id in recordsToSave.map(\.recordID) + recordIDsToDelete where rule.canonical(id.zoneID) != zoneID {
            throw CabinetError(
                .invalidArguments,
                "The record is in the zone '\(id.zoneID)', and the request is about the zone '\(zoneID)'. Send it in another request.",
                recordID: id)
        }
        // Servers of earlier versions refuse the zone, so a request with records, which does not need it, leaves it out.
        let isEmpty = recordsToSave.isEmpty && recordIDsToDelete.isEmpty
        let response = try await client.modify(
            ModifyRecordsRequest(
                scope: databaseScope, recordsToSave: recordsToSave, recordIDsToDelete: recordIDsToDelete,
                savePolicy: savePolicy, isAtomic: atomically, asksForPosition: true,
                zoneID: databaseScope == .shared && isEmpty ? zoneID : nil))
        let results = try response.results(of: recordsToSave, recordIDsToDelete)
        if atomically { try CabinetError.throwFailures(results.saveResults, results.deleteResults) }
        guard let position = response.position else {
            throw CabinetError(.internalError, "The service returned no change token.")
        }
        return (results.saveResults, results.deleteResults, token(position, zoneID: zoneID))
    }
}
