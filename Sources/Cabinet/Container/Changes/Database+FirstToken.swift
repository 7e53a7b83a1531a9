extension Database {
    /// Saves and deletes records of one zone in one transaction, and returns a token for the first fetch of the zone's changes.
    ///
    /// A fetch without a token returns no deletions. A device that sends records before it has ever fetched would keep those that
    /// other devices delete in between, for ever. With this token, its first fetch returns every record of the zone, as a fetch without a
    /// token does, and also the deletions that were made after this call.
    ///
    /// ```swift
    /// let (saveResults, _, changeToken) = try await database.modifyRecords(
    ///     saving: unsent, deleting: [], inZoneWith: zone.zoneID)
    /// // Later, the first fetch:
    /// let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: changeToken)
    /// ```
    ///
    /// The token claims no knowledge of changes, not even of those that this call makes. A device that has a token from a fetch keeps
    /// that one.
    ///
    /// - Parameters:
    ///   - recordsToSave: The records to save, all in the zone; each ID once.
    ///   - recordIDsToDelete: The records to delete, all in the zone; each ID once, and none that is saved.
    ///   - zoneID: The zone.
    ///   - savePolicy: What a save compares and sends.
    ///   - atomically: Whether one record's failure leaves all records unchanged.
    /// - Returns: For each record what became of it, and the token.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a record is in another zone, and what
    ///   ``modifyRecords(saving:deleting:savePolicy:atomically:)`` throws.
    public func modifyRecords(
        saving recordsToSave: [Record], deleting recordIDsToDelete: [RecordID], inZoneWith zoneID: RecordZone.ID,
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>],
        changeToken: ServerChangeToken
    ) {
        let rule = OwnerRule(user: service.userRecordName)
        let zoneID = rule.canonical(zoneID)
        for id in recordsToSave.map(\.recordID) + recordIDsToDelete where rule.canonical(id.zoneID) != zoneID {
            throw CabinetError(
                .invalidArguments,
                "The record is in the zone '\(id.zoneID)', and the request is about the zone '\(zoneID)'. Send it in another request.",
                recordID: id)
        }
        let response = try await service.modify(
            ModifyRequest(
                scope: databaseScope, recordsToSave: recordsToSave, recordIDsToDelete: recordIDsToDelete,
                savePolicy: savePolicy, isAtomic: atomically, asksForPlace: true),
            progress: nil)
        guard let place = response.place else {
            throw CabinetError(.internalError, "The service returned no place in the changes.")
        }
        return (response.saveResults, response.deleteResults, token(place, zoneID: zoneID))
    }
}
