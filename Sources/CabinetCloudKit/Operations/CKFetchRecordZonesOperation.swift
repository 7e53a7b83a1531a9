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
        do {
            let results: [(CKRecordZone.ID, Result<CKRecordZone, any Error>)]
            if let recordZoneIDs {
                let found = try await target.recordZones(for: recordZoneIDs)
                results = recordZoneIDs.map { ($0, target.item($0, in: found)) }
            } else {
                results = try await target.allRecordZones().map { ($0.zoneID, .success($0)) }
            }
            await call { self.report(results) }
        } catch {
            await fail(error)
        }
    }

    private func report(_ results: [(CKRecordZone.ID, Result<CKRecordZone, any Error>)]) {
        var found: [CKRecordZone.ID: CKRecordZone] = [:]
        var errors: [AnyHashable: any Error] = [:]
        for (id, result) in results {
            switch result {
            case .success(let item): found[id] = item
            case .failure(let error): errors[id] = error
            }
            perRecordZoneResultBlock?(id, result)
        }
        fetchRecordZonesResultBlock?(.success(()))
        fetchRecordZonesCompletionBlock?(found, CKError(partial: errors))
    }

    override func fail(_ error: any Error) async {
        await call {
            self.fetchRecordZonesResultBlock?(.failure(error))
            self.fetchRecordZonesCompletionBlock?(nil, error)
        }
    }
}
