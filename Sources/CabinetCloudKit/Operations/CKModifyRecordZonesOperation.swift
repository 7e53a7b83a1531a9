import Foundation

/// An operation that saves and deletes zones.
// Unchecked, and safe as its base class is.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones to save.
    open var recordZonesToSave: [CKRecordZone]?
    /// The IDs of the zones to delete.
    open var recordZoneIDsToDelete: [CKRecordZone.ID]?

    /// A block that is called for each zone to save.
    open var perRecordZoneSaveBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    /// A block that is called for each zone to delete.
    open var perRecordZoneDeleteBlock: ((CKRecordZone.ID, Result<Void, any Error>) -> Void)?
    /// A block that is called at the end; failures of single zones are not failures of the operation.
    open var modifyRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with ``CKError/Code/partialFailure`` if a zone failed.
    open var modifyRecordZonesCompletionBlock: (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil) {
        self.init()
        self.recordZonesToSave = recordZonesToSave
        self.recordZoneIDsToDelete = recordZoneIDsToDelete
    }

    override func perform() async throws {
        let (saves, deletes) = (recordZonesToSave ?? [], recordZoneIDsToDelete ?? [])
        let results = try await target.modifyRecordZones(saving: saves, deleting: deletes)
        let saveResults = target.items(saves.map(\.zoneID), in: results.saveResults)
        let deleteResults = target.items(deletes, in: results.deleteResults)
        await call {
            var errors: [AnyHashable: any Error] = [:]
            let saved = saveResults.report(to: self.perRecordZoneSaveBlock, &errors).map(\.1)
            let deleted = deleteResults.report(to: self.perRecordZoneDeleteBlock, &errors).map(\.0)
            self.modifyRecordZonesResultBlock?(.success(()))
            self.modifyRecordZonesCompletionBlock?(saved, deleted, CKError(partial: errors))
        }
    }

    override func end(_ error: any Error) {
        modifyRecordZonesResultBlock?(.failure(error))
        modifyRecordZonesCompletionBlock?(nil, nil, error)
    }
}
