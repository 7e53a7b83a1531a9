public import Foundation

/// An operation that fetches the descriptions of shares, which Cabinet does not have: it fails with ``CKError/Code/serverRejectedRequest``.
// Unchecked, and safe as its base class is.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    /// The URLs of the shares.
    open var shareURLs: [URL]?
    /// Whether the shared records are fetched too.
    open var shouldFetchRootRecord = false
    /// The fields of the shared records to fetch, or `nil` for all.
    open var rootRecordDesiredKeys: [CKRecord.FieldKey]?

    /// A block that is not called, because there is no item.
    open var perShareMetadataResultBlock: ((URL, Result<CKShare.Metadata, any Error>) -> Void)?
    /// The older block that is not called, because there is no item.
    open var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
    /// A block that is called at the end, with the error.
    open var fetchShareMetadataResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with the error.
    open var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func perform() async throws { throw CKError.unsupported("shares") }

    override func end(_ error: any Error) {
        fetchShareMetadataResultBlock?(.failure(error))
        fetchShareMetadataCompletionBlock?(error)
    }
}
