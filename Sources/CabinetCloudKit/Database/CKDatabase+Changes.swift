import Cabinet
import Foundation

extension CKDatabase {
    /// Fetches a page of the zones that have changed or were deleted.
    public func databaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        try await CKError.translate {
            let store = try store()
            try store.rules.checkChanges(of: nil)
            let page = try await store.database.databaseChanges(
                since: changeToken?.value, resultsLimit: resultsLimit == 0 ? nil : resultsLimit)
            let zones = page.modifications.map(\.zoneID).filter { !store.rules.isOn || $0 != .default }
            return (
                zones.map { DatabaseChange.Modification(zoneID: CKRecordZone.ID($0)) },
                page.deletions.map(DatabaseChange.Deletion.init), CKServerChangeToken(page.changeToken),
                page.moreComing
            )
        }
    }

    /// Fetches a page of the changes of a zone.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let page = try await changes(
            ofZone: zoneID, since: changeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        let results = page.records.map {
            ($0.recordID, Result<_, any Error>.success(RecordZoneChange.Modification(record: $0)))
        }
        return (
            Dictionary(results, uniquingKeysWith: { $1 }), page.deletions, page.changeToken, page.moreComing
        )
    }

    /// Fetches a page of the zones that have changed, and passes it to a closure.
    @preconcurrency
    public func fetchDatabaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
                        changeToken: CKServerChangeToken, moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        complete(result: completionHandler) {
            try await self.databaseChanges(since: changeToken, resultsLimit: resultsLimit)
        }
    }

    /// Fetches a page of the changes of a zone, and passes it to a closure.
    @preconcurrency
    public func fetchRecordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
                        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        complete(result: completionHandler) {
            try await self.recordZoneChanges(
                inZoneWith: zoneID, since: changeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
    }
}

/// A page of the changes of a zone, in an order in which references point backwards.
struct ZoneChanges: Sendable {
    var records: [CKRecord] = []
    var deletions: [CKDatabase.RecordZoneChange.Deletion] = []
    var changeToken: CKServerChangeToken
    var moreComing: Bool
}

extension CKDatabase {
    /// Fetches a page of the changes of a zone.
    func changes(
        ofZone zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?, desiredKeys: [CKRecord.FieldKey]?,
        resultsLimit: Int?
    ) async throws -> ZoneChanges {
        try await CKError.translate {
            let store = try store()
            try store.rules.checkChanges(of: zoneID.value)
            var pages = store.database.recordZoneChangeSequence(
                inZoneWith: zoneID.value, since: changeToken?.value, desiredKeys: desiredKeys,
                pageSize: resultsLimit == 0 ? nil : resultsLimit
            ).makeAsyncIterator()
            guard let page = try await pages.next() else {
                throw CKError(.internalError, "The store gave no changes.")
            }
            return ZoneChanges(
                records: try await store.objects(page.modifications.map(\.record), desiredKeys),
                deletions: page.deletions.map {
                    RecordZoneChange.Deletion(recordID: CKRecord.ID($0.recordID), recordType: $0.recordType)
                }, changeToken: CKServerChangeToken(page.changeToken), moreComing: page.moreComing)
        }
    }
}
