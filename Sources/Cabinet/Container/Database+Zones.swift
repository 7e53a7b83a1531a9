extension Database {
    /// Fetches all zones of the database, including the default zone.
    ///
    /// - Returns: The zones in the order of their names. The shared database has none until another user shares one.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` if the database needs an account and the container has none,
    ///   and the failures of the store.
    public func allRecordZones() async throws -> [RecordZone] {
        try await client.perform(FetchZonesRequest(scope: databaseScope)).results.map { try $0.get() }
    }

    /// Fetches a zone by ID.
    ///
    /// - Parameter zoneID: The zone's ID.
    /// - Returns: The zone.
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if the zone does not exist, and the errors of
    ///   ``recordZones(for:)``.
    public func recordZone(for zoneID: RecordZone.ID) async throws -> RecordZone {
        try await client.perform(FetchZonesRequest(scope: databaseScope, zoneIDs: [zoneID])).results.onlyResult.get()
    }

    /// Fetches zones by ID.
    ///
    /// - Parameter zoneIDs: The zones' IDs.
    /// - Returns: A zone for each ID, or ``CabinetError/Code/zoneNotFound``.
    /// - Throws: For the whole request, ``CabinetError/Code/notAuthenticated`` if the database needs an account and the
    ///   container has none, ``CabinetError/Code/limitExceeded``, ``CabinetError/Code/operationCancelled`` if the task
    ///   is cancelled, and the failures of the store.
    public func recordZones(
        for zoneIDs: [RecordZone.ID]
    ) async throws -> [RecordZone.ID: Result<RecordZone, CabinetError>] {
        let response = try await client.perform(FetchZonesRequest(scope: databaseScope, zoneIDs: zoneIDs))
        return try Dictionary(response.results, of: zoneIDs)
    }

    /// Saves a zone, so that records can be saved in it.
    ///
    /// Saving a zone that already exists succeeds and changes nothing.
    ///
    /// ```swift
    /// let zone = try await database.save(RecordZone(zoneName: "Travel"))
    /// let trip = Record(
    ///     recordType: "Trips", recordID: RecordID(zoneID: zone.zoneID))
    /// ```
    ///
    /// - Parameter zone: The zone to save.
    /// - Returns: The zone as the server has stored it.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the zone's name is malformed,
    ///   ``CabinetError/Code/badDatabase`` in the shared database, and the errors of
    ///   ``modifyRecordZones(saving:deleting:)`` for a whole request.
    @discardableResult
    public func save(_ zone: RecordZone) async throws -> RecordZone {
        try await client.perform(ModifyZonesRequest(scope: databaseScope, zonesToSave: [zone])).saveResults.onlyResult
            .get()
    }

    /// Deletes a zone with all records in it, in one transaction.
    ///
    /// - Parameter zoneID: The zone's ID.
    /// - Returns: The zone's ID.
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if the zone does not exist, ``CabinetError/Code/invalidArguments``
    ///   for the default zone, ``CabinetError/Code/permissionFailure`` in the public database if another user created
    ///   the zone, and the errors of ``modifyRecordZones(saving:deleting:)`` for a whole request.
    @discardableResult
    public func deleteRecordZone(withID zoneID: RecordZone.ID) async throws -> RecordZone.ID {
        try await client.perform(
            ModifyZonesRequest(scope: databaseScope, zoneIDsToDelete: [zoneID])
        ).deleteErrors.results.onlyResult.get()
        return zoneID
    }

    /// Saves and deletes zones in one transaction.
    ///
    /// The failure of one zone does not prevent the others from being saved or deleted.
    ///
    /// - Parameters:
    ///   - recordZonesToSave: The zones to save; each ID once.
    ///   - recordZoneIDsToDelete: The zones to delete, with all records in them; each ID once, and none that is also
    ///     saved.
    /// - Returns: The result for each zone.
    /// - Throws: For the whole request, ``CabinetError/Code/invalidArguments`` if an ID occurs twice,
    ///   ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/limitExceeded``,
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled before the transaction commits, and the
    ///   store's failures.
    public func modifyRecordZones(
        saving recordZonesToSave: [RecordZone], deleting recordZoneIDsToDelete: [RecordZone.ID]
    ) async throws -> (
        saveResults: [RecordZone.ID: Result<RecordZone, CabinetError>],
        deleteResults: [RecordZone.ID: Result<Void, CabinetError>]
    ) {
        let response = try await client.perform(
            ModifyZonesRequest(
                scope: databaseScope, zonesToSave: recordZonesToSave, zoneIDsToDelete: recordZoneIDsToDelete))
        return (
            try Dictionary(response.saveResults, of: recordZonesToSave.map(\.zoneID)),
            try Dictionary(response.deleteErrors.results, of: recordZoneIDsToDelete)
        )
    }
}
