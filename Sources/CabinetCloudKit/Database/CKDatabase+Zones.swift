import Cabinet
import Foundation

extension CKDatabase {
    /// Fetches all zones, including the default zone.
    @discardableResult
    public func allRecordZones() async throws -> [CKRecordZone] {
        try await CKError.translate {
            let store = try store()
            let zones = try await store.database.allRecordZones()
            let shares = try await store.shares(of: zones.map(\.zoneID))
            return zones.map { CKRecordZone($0, share: shares[$0.zoneID]) }
        }
    }

    /// Fetches a zone by ID.
    ///
    /// - Throws: ``CKError/Code/zoneNotFound`` if it does not exist.
    @discardableResult
    public func recordZone(for recordZoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        try await item(recordZoneID, in: recordZones(for: [recordZoneID])).get()
    }

    /// Fetches zones by ID.
    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        try await CKError.translate {
            let store = try store()
            let results = try await store.database.recordZones(for: ids.map(\.value))
            let shares = try await store.shares(of: results.values.compactMap { try? $0.get().zoneID })
            return Dictionary(
                results.map { id, result in
                    (CKRecordZone.ID(id), result.translated { CKRecordZone($0, share: shares[$0.zoneID]) })
                }, uniquingKeysWith: { $1 })
        }
    }

    /// Saves a zone, so that records can be saved in it.
    @discardableResult
    public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        try await item(zone.zoneID, in: modifyRecordZones(saving: [zone], deleting: []).saveResults).get()
    }

    /// Deletes a zone with its records.
    @discardableResult
    public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        try await item(zoneID, in: modifyRecordZones(saving: [], deleting: [zoneID]).deleteResults).get()
        return zoneID
    }

    /// Saves and deletes zones.
    ///
    /// - Returns: The result of each zone.
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
    ) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        try await CKError.translate {
            let store = try store()
            var saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
            var zones: [RecordZone] = []
            for zone in recordZonesToSave {
                if let violation = store.rules.violation(saving: zone.value) {
                    saveResults[zone.zoneID] = .failure(violation)
                } else {
                    zones.append(zone.value)
                }
            }
            let results = try await store.database.modifyRecordZones(
                saving: zones, deleting: recordZoneIDsToDelete.map(\.value))
            for (id, result) in results.saveResults {
                saveResults[CKRecordZone.ID(id)] = result.translated { CKRecordZone($0) }
            }
            var deleteResults: [CKRecordZone.ID: Result<Void, any Error>] = [:]
            for (id, result) in results.deleteResults {
                // CloudKit deletes a zone that does not exist without an error, as it does a record.
                let isMissing = if case .failure(let error) = result { error.code == .zoneNotFound } else { false }
                deleteResults[CKRecordZone.ID(id)] =
                    isMissing && store.rules.isOn ? .success(()) : result.translated { $0 }
            }
            return (saveResults, deleteResults)
        }
    }
}

extension CKDatabase {
    /// Fetches all zones, and passes them to a closure.
    @preconcurrency
    public func fetchAllRecordZones(
        completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.allRecordZones() }
    }

    /// Fetches a zone by ID, and passes it to a closure.
    @preconcurrency
    public func fetch(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.recordZone(for: zoneID) }
    }

    /// Fetches zones by ID, and passes the result to a closure.
    @preconcurrency
    public func fetch(
        withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>) -> Void
    ) {
        complete(result: completionHandler) { try await self.recordZones(for: zoneIDs) }
    }

    /// Saves a zone, and passes it to a closure.
    @preconcurrency
    public func save(
        _ zone: CKRecordZone, completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.save(zone) }
    }

    /// Deletes a zone with its records, and passes its ID to a closure.
    @preconcurrency
    public func delete(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.deleteRecordZone(withID: zoneID) }
    }

    /// Saves and deletes zones, and passes the results to a closure.
    @preconcurrency
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
                        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        complete(result: completionHandler) {
            try await self.modifyRecordZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
        }
    }
}

extension CKDatabase.Store {
    /// The number of zones whose shares one request fetches, within CloudKit's limit of records.
    private static let sharesLimit = 400

    /// Returns the IDs of the shares that zones have.
    fileprivate func shares(of zoneIDs: [RecordZone.ID]) async throws -> [RecordZone.ID: RecordID] {
        let shareable = database.databaseScope == .public ? [] : zoneIDs.filter { $0 != .default }
        var shares: [RecordZone.ID: RecordID] = [:]
        for part in shareable.parts(of: Self.sharesLimit) {
            let ids = part.map { RecordID(recordName: Share.zoneWideRecordName, zoneID: $0) }
            for case (let id, .success) in try await database.records(for: ids, desiredKeys: []) {
                shares[id.zoneID] = id
            }
        }
        return shares
    }
}
