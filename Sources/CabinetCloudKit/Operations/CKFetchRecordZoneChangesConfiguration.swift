public import Foundation

/// The settings of one zone's changes. CloudKit's `CKFetchRecordZoneChangesOperation.ZoneConfiguration`.
// Unchecked, and safe as far as CloudKit's own is: the settings are set before an operation with them is added.
open class CKFetchRecordZoneChangesConfiguration: NSObject, @unchecked Sendable {
    /// The token after which the changes begin, or `nil` for all records.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The largest number of changes on a page, or 0 to let the store choose.
    open var resultsLimit = 0
    /// The fields to fetch, or `nil` for all.
    open var desiredKeys: [CKRecord.FieldKey]?

    /// Creates settings.
    public convenience init(
        previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil
    ) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
        self.resultsLimit = resultsLimit ?? 0
        self.desiredKeys = desiredKeys
    }
}
