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

    /// Creates an operation that fetches all zones.
    public override init() {
        super.init()
    }

    /// Returns an operation that fetches all zones.
    open class func fetchAllRecordZonesOperation() -> CKFetchRecordZonesOperation { CKFetchRecordZonesOperation() }

    override func perform() async {
        await run { () -> [(CKRecordZone.ID, Result<CKRecordZone, any Error>)] in
            guard let recordZoneIDs else {
                return try await target.allRecordZones().map { ($0.zoneID, .success($0)) }
            }
            let found = try await target.recordZones(for: recordZoneIDs)
            return recordZoneIDs.map { ($0, target.item($0, in: found)) }
        } report: { results in
            var errors: [AnyHashable: any Error] = [:]
            let found = results.report(to: self.perRecordZoneResultBlock, &errors)
            self.fetchRecordZonesResultBlock?(.success(()))
            self.fetchRecordZonesCompletionBlock?(
                Dictionary(found.map { ($0.id, $0.item) }, uniquingKeysWith: { $1 }), CKError(partial: errors))
        }
    }

    override func end(_ error: any Error) {
        fetchRecordZonesResultBlock?(.failure(error))
        fetchRecordZonesCompletionBlock?(nil, error)
    }
}
