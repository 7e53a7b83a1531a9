import Foundation

/// An operation that fetches the zones that have changed or were deleted.
// Unchecked, and safe as its base class is.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The token after which the changes begin.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The largest number of zones on a page, or 0 to let the store choose.
    open var resultsLimit = 0
    /// Whether all pages are fetched.
    open var fetchAllChanges = true

    /// A block that is called for each zone that has changed.
    open var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
    /// A block that is called for each zone that was deleted.
    open var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
    /// A block that is called for each zone whose data the user has purged.
    open var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
    /// A block that is called for each zone whose encrypted data the user has reset.
    open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
    /// A block that is called after each page.
    open var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
    /// A block that is called at the end.
    open var fetchDatabaseChangesResultBlock:
        ((Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) -> Void)?
    /// The older block that is called at the end.
    open var fetchDatabaseChangesCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func perform() async throws {
        var token = previousServerChangeToken
        while true {
            let page = try await target.databaseChanges(
                since: token, resultsLimit: resultsLimit > 0 ? resultsLimit : nil)
            token = page.changeToken
            let isLast = !page.moreComing || !fetchAllChanges
            await call {
                for deletion in page.deletions { self.report(deletion) }
                for zone in page.modifications { self.recordZoneWithIDChangedBlock?(zone.zoneID) }
                self.changeTokenUpdatedBlock?(page.changeToken)
                guard isLast else { return }
                self.fetchDatabaseChangesResultBlock?(.success((page.changeToken, page.moreComing)))
                self.fetchDatabaseChangesCompletionBlock?(page.changeToken, page.moreComing, nil)
            }
            if isLast { return }
        }
    }

    private func report(_ deletion: CKDatabase.DatabaseChange.Deletion) {
        switch deletion.reason {
        case .deleted: recordZoneWithIDWasDeletedBlock?(deletion.zoneID)
        case .purged: (recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock)?(deletion.zoneID)
        case .encryptedDataReset:
            let block = recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock ?? recordZoneWithIDWasDeletedBlock
            block?(deletion.zoneID)
        }
    }

    override func end(_ error: any Error) {
        fetchDatabaseChangesResultBlock?(.failure(error))
        fetchDatabaseChangesCompletionBlock?(nil, false, error)
    }
}
