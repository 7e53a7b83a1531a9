import Foundation

/// An operation that fetches zones by ID, or all of them.
// Unchecked, and safe as its base class is.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The IDs of the zones, or `nil` for all.
    open var recordZoneIDs: [CKRecordZone.ID]?

    /// A block that is called for each zone.
    open var perRecordZoneResultBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    /// A block that is called at the end; failures of single zones are not failures of the operation.
    open var fetchRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with ``CKError/Code/partialFailure`` if a zone failed.
    open var fetchRecordZonesCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?

    /// Creates an operation that fetches zones by ID.
    public convenience init(recordZoneIDs: [CKRecordZone.ID]) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
    }

    /// Returns an operation that fetches all zones.
    open class func fetchAllRecordZonesOperation() -> CKFetchRecordZonesOperation { CKFetchRecordZonesOperation() }

    override func perform() async throws {
        let results: [(CKRecordZone.ID, Result<CKRecordZone, any Error>)] =
            if let ids = recordZoneIDs {
                target.items(ids, in: try await target.recordZones(for: ids))
            } else {
                try await target.allRecordZones().map { ($0.zoneID, .success($0)) }
            }
        await call {
            var errors: [AnyHashable: any Error] = [:]
            let found = results.report(to: self.perRecordZoneResultBlock, &errors)
            self.fetchRecordZonesResultBlock?(.success(()))
            self.fetchRecordZonesCompletionBlock?(Dictionary(found, uniquingKeysWith: { $1 }), CKError(partial: errors))
        }
    }

    override func end(_ error: any Error) {
        fetchRecordZonesResultBlock?(.failure(error))
        fetchRecordZonesCompletionBlock?(nil, error)
    }
}
