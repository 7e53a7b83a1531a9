public import Foundation

/// An operation that fetches the changes of zones.
// Unchecked, and safe as its base class is.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The settings of one zone's changes.
    public typealias ZoneConfiguration = CKFetchRecordZoneChangesConfiguration
    /// The older name of the settings of one zone's changes.
    public typealias ZoneOptions = CKFetchRecordZoneChangesConfiguration

    /// The zones.
    open var recordZoneIDs: [CKRecordZone.ID]?
    /// The tokens, limits and fields, by zone.
    open var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
    /// Whether all pages are fetched.
    open var fetchAllChanges = true

    /// The older name of ``configurationsByRecordZoneID``.
    open var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
        get { configurationsByRecordZoneID }
        set { configurationsByRecordZoneID = newValue }
    }

    /// A block that is called for each record that was saved.
    open var recordWasChangedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// The older block that is called for each record that was saved.
    open var recordChangedBlock: ((CKRecord) -> Void)?
    /// A block that is called for each record that was deleted.
    open var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)?
    /// A block that is called after each page but a zone's last.
    open var recordZoneChangeTokensUpdatedBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
    /// A block that is called when a zone's changes were fetched.
    open var recordZoneFetchResultBlock:
        (
            (
                CKRecordZone.ID,
                Result<
                    (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool), any Error
                >
            ) -> Void
        )?
    /// The older block that is called when a zone's changes were fetched.
    open var recordZoneFetchCompletionBlock:
        ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
    /// A block that is called at the end, with ``CKError/Code/partialFailure`` if a zone failed.
    open var fetchRecordZoneChangesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with ``CKError/Code/partialFailure`` if a zone failed.
    open var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID]? = nil,
        configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
    ) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
        self.configurationsByRecordZoneID = configurationsByRecordZoneID
    }

    /// Creates an operation, with the older name of the settings.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID], optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
    ) {
        self.init(recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID)
    }

    override func perform() async throws {
        var errors: [AnyHashable: any Error] = [:]
        let zones = recordZoneIDs ?? configurationsByRecordZoneID.map { Array($0.keys) } ?? []
        for zoneID in zones {
            do {
                try await fetch(zoneID)
            } catch {
                if isCancelled { throw Self.cancelled }
                if let error = error as? CKError, error.code.isOfWholeRequest { throw error }
                errors[zoneID] = error
                await call {
                    self.recordZoneFetchResultBlock?(zoneID, .failure(error))
                    self.recordZoneFetchCompletionBlock?(zoneID, nil, nil, false, error)
                }
            }
        }
        let partial = CKError(partial: errors)
        await call {
            self.fetchRecordZoneChangesResultBlock?(partial.map { .failure($0) } ?? .success(()))
            self.fetchRecordZoneChangesCompletionBlock?(partial)
        }
    }

    private func fetch(_ zoneID: CKRecordZone.ID) async throws {
        let configuration = configurationsByRecordZoneID?[zoneID]
        var token = configuration?.previousServerChangeToken
        while true {
            let page = try await target.changes(
                ofZone: zoneID, since: token, desiredKeys: configuration?.desiredKeys,
                resultsLimit: configuration?.resultsLimit)
            token = page.changeToken
            let isLast = !page.moreComing || !fetchAllChanges
            await call { self.report(page, zoneID, isLast: isLast) }
            if isLast { return }
        }
    }

    private func report(_ page: ZoneChanges, _ zoneID: CKRecordZone.ID, isLast: Bool) {
        for record in page.records {
            recordChangedBlock?(record)
            recordWasChangedBlock?(record.recordID, .success(record))
        }
        for deletion in page.deletions {
            recordWithIDWasDeletedBlock?(deletion.recordID, deletion.recordType)
        }
        guard isLast else {
            recordZoneChangeTokensUpdatedBlock?(zoneID, page.changeToken, nil)
            return
        }
        recordZoneFetchResultBlock?(zoneID, .success((page.changeToken, nil, page.moreComing)))
        recordZoneFetchCompletionBlock?(zoneID, page.changeToken, nil, page.moreComing, nil)
    }

    override func end(_ error: any Error) {
        fetchRecordZoneChangesResultBlock?(.failure(error))
        fetchRecordZoneChangesCompletionBlock?(error)
    }
}
