extension Database {
    /// Fetches all zones of the database; the default zone is one of them.
    ///
    /// - Returns: The zones in the order of their names; none in the shared database, as long as nobody shares one.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` if the database needs an account and there is none, and the store's
    ///   failures.
    public func allRecordZones() async throws -> [RecordZone] {
        let zones = try await service.zones(FetchZonesRequest(scope: databaseScope, zoneIDs: nil))
        return try zones.values.map { try $0.get() }
            .sorted { Ordering($0.zoneID.zoneName, $1.zoneID.zoneName) == .before }
    }

    /// Fetches a zone.
    ///
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if there is no such zone, and what ``recordZones(for:)`` throws.
    public func recordZone(for zoneID: RecordZone.ID) async throws -> RecordZone {
        try await recordZones(for: [zoneID]).item(zoneID)
    }

    /// Fetches zones.
    ///
    /// - Parameter zoneIDs: The zones' IDs.
    /// - Returns: For each ID the zone, or ``CabinetError/Code/zoneNotFound``.
    /// - Throws: What fails the whole request: ``CabinetError/Code/notAuthenticated`` if the database needs an account and there is
    ///   none, ``CabinetError/Code/limitExceeded``, ``CabinetError/Code/operationCancelled`` if the task is cancelled, and the
    ///   store's failures.
    public func recordZones(
        for zoneIDs: [RecordZone.ID]
    ) async throws -> [RecordZone.ID: Result<RecordZone, CabinetError>] {
        try await service.zones(FetchZonesRequest(scope: databaseScope, zoneIDs: zoneIDs))
    }

    /// Saves a zone, in which records can be saved then.
    ///
    /// Saving a zone that is there already succeeds, and changes nothing.
    ///
    /// ```swift
    /// let zone = try await database.save(RecordZone(zoneName: "Travel"))
    /// let trip = Record(recordType: "Trips", recordID: RecordID(zoneID: zone.zoneID))
    /// ```
    ///
    /// - Returns: The zone as the server has it.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the zone's name is malformed, ``CabinetError/Code/badDatabase`` in the
    ///   shared database, and what fails ``modifyRecordZones(saving:deleting:)`` as a whole.
    @discardableResult
    public func save(_ zone: RecordZone) async throws -> RecordZone {
        try await modifyRecordZones(saving: [zone], deleting: []).saveResults.item(zone.zoneID)
    }

    /// Deletes a zone with all records in it, in one transaction.
    ///
    /// - Returns: The zone's ID.
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if there is no such zone, ``CabinetError/Code/invalidArguments`` for the default
    ///   zone, ``CabinetError/Code/permissionFailure`` in the public database if someone else has made the zone, and what fails
    ///   ``modifyRecordZones(saving:deleting:)`` as a whole.
    @discardableResult
    public func deleteRecordZone(withID zoneID: RecordZone.ID) async throws -> RecordZone.ID {
        try await modifyRecordZones(saving: [], deleting: [zoneID]).deleteResults.item(zoneID)
        return zoneID
    }

    /// Saves and deletes zones in one transaction.
    ///
    /// A zone that cannot be saved or deleted does not keep the others from it.
    ///
    /// - Parameters:
    ///   - recordZonesToSave: The zones to save; each ID once.
    ///   - recordZoneIDsToDelete: The zones to delete, with all records in them; each ID once, and none that is saved.
    /// - Returns: For each zone what became of it.
    /// - Throws: What fails the whole request: ``CabinetError/Code/invalidArguments`` if an ID occurs twice,
    ///   ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/limitExceeded``,
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled before the transaction commits, and the store's failures.
    public func modifyRecordZones(
        saving recordZonesToSave: [RecordZone], deleting recordZoneIDsToDelete: [RecordZone.ID]
    ) async throws -> (
        saveResults: [RecordZone.ID: Result<RecordZone, CabinetError>],
        deleteResults: [RecordZone.ID: Result<Void, CabinetError>]
    ) {
        let response = try await service.modifyZones(
            ModifyZonesRequest(
                scope: databaseScope, zonesToSave: recordZonesToSave, zoneIDsToDelete: recordZoneIDsToDelete))
        return (response.saveResults, response.deleteResults)
    }
}

extension Dictionary where Key == RecordZone.ID {
    /// The success of the one zone that was asked for.
    fileprivate func item<Success>(_ id: RecordZone.ID) throws -> Success where Value == Result<Success, CabinetError> {
        guard let result = self[id] else {
            throw CabinetError(.internalError, "The service gave no answer for the zone '\(id)'.")
        }
        return try result.get()
    }
}
