public import Foundation

/// An operation that fetches a page of the changes of one zone: the older form of ``CKFetchRecordZoneChangesOperation``.
// Unchecked, and safe as its base class is. The operation's task alone sets `moreComing`, before the block that reads it is called.
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zone.
    open var recordZoneID: CKRecordZone.ID?
    /// The token after which the changes begin, or `nil` for all records.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The largest number of changes, or 0 to let the store choose.
    open var resultsLimit = 0
    /// The fields to fetch, or `nil` for all.
    open var desiredKeys: [CKRecord.FieldKey]?
    /// Whether another operation, with the new token, will fetch more changes.
    open private(set) var moreComing = false

    /// A block that is called for each record that was saved.
    open var recordChangedBlock: ((CKRecord) -> Void)?
    /// A block that is called for each record that was deleted.
    open var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
    /// A block that is called at the end.
    open var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.recordZoneID = recordZoneID
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func perform() async throws {
        let page = try await target.changes(
            ofZone: recordZoneID ?? .default, since: previousServerChangeToken, desiredKeys: desiredKeys,
            resultsLimit: resultsLimit)
        await call {
            for record in page.records { self.recordChangedBlock?(record) }
            for deletion in page.deletions { self.recordWithIDWasDeletedBlock?(deletion.recordID) }
            self.moreComing = page.moreComing
            self.fetchRecordChangesCompletionBlock?(page.changeToken, nil, nil)
        }
    }

    override func end(_ error: any Error) {
        fetchRecordChangesCompletionBlock?(nil, nil, error)
    }
}
