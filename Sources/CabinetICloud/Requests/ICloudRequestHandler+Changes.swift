import Cabinet
import CloudKit
import Foundation

extension ICloudRequestHandler {
    func response(to request: FetchDatabaseChangesRequest) async throws -> FetchDatabaseChangesRequest.Response {
        let database = try database(request.scope)
        let limit = try request.resultsLimit.map { try ChangeFeedRule.limit($0) }
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: try Self.token(request.since))
        operation.fetchAllChanges = false
        if let limit { operation.resultsLimit = limit }
        let changed = Collector<CKRecordZone.ID>()
        let deleted = Collector<DatabaseChange.Deletion>()
        let user = user
        func record(_ id: CKRecordZone.ID, _ reason: DatabaseChange.Deletion.Reason) {
            deleted.append(.init(zoneID: .init(id, user: user), reason: reason))
        }
        operation.recordZoneWithIDChangedBlock = { changed.append($0) }
        operation.recordZoneWithIDWasDeletedBlock = { record($0, .deleted) }
        operation.recordZoneWithIDWasPurgedBlock = { record($0, .purged) }
        operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = { record($0, .encryptedDataReset) }
        let end = try await database.run(operation) { $0.fetchDatabaseChangesResultBlock = $1 }
        return .init(
            changed.items.map { .init(zoneID: .init($0, user: user)) }, deleted.items,
            position: FeedPosition(foreignToken: try Archive.text(of: end.serverChangeToken)),
            moreComing: end.moreComing)
    }

    func response(to request: FetchZoneChangesRequest) async throws -> FetchZoneChangesRequest.Response {
        let database = try database(request.scope)
        let limit = try request.resultsLimit.map { try ChangeFeedRule.limit($0) }
        let zoneID = request.zoneID.object(user: user)
        let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
        configuration.previousServerChangeToken = try Self.token(request.since)
        configuration.desiredKeys = request.desiredKeys
        if let limit { configuration.resultsLimit = limit }
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID], configurationsByRecordZoneID: [zoneID: configuration])
        operation.fetchAllChanges = false
        let changed = Collector<Result<CKRecord, any Error>>()
        let deleted = Collector<RecordZoneChange.Deletion>()
        let ends = Collector<Result<(token: CKServerChangeToken, moreComing: Bool), any Error>>()
        let reader = reader(request.scope)
        operation.recordWasChangedBlock = { changed.append($1) }
        operation.recordWithIDWasDeletedBlock = { id, type in
            deleted.append(.init(recordID: reader.recordID(id), recordType: type))
        }
        operation.recordZoneFetchResultBlock = { _, result in
            ends.append(result.map { ($0.serverChangeToken, $0.moreComing) })
        }
        do {
            try await database.run(operation) { $0.fetchRecordZoneChangesResultBlock = $1 }
        } catch {
            // The failure of the zone may be reported again as one of the operation.
            guard CabinetError(cloudKit: error).code == .partialFailure, !ends.items.isEmpty else { throw error }
        }
        guard let end = try ends.items.last?.get() else {
            throw CabinetError(.internalError, "iCloud gave no result for the zone '\(request.zoneID)'.")
        }
        // One value that cannot be read must not keep all later changes away.
        let records = try changed.items.map { result in
            try reader.record(try result.get(), isPartial: request.desiredKeys != nil, skipsUnreadable: true)
        }
        return .init(
            records, deleted.items, position: FeedPosition(foreignToken: try Archive.text(of: end.token)),
            moreComing: end.moreComing)
    }

    private static func token(_ position: FeedPosition?) throws(CabinetError) -> CKServerChangeToken? {
        guard let position else { return nil }
        guard let token = position.foreignToken.flatMap({ Archive.object(CKServerChangeToken.self, of: $0) }) else {
            throw CabinetError(
                .changeTokenExpired,
                "The change token is not one of iCloud. Discard the fetched records, and fetch the changes without a token."
            )
        }
        return token
    }
}
