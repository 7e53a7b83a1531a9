public import Foundation

/// An operation that fetches the descriptions of shares.
// Unchecked, and safe as its base class is.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    /// The URLs of the shares.
    open var shareURLs: [URL]?
    /// Whether the roots of hierarchies are fetched too, as ``CKShareMetadata/rootRecord``.
    open var shouldFetchRootRecord = false
    /// The fields of roots to fetch; `nil` for all.
    open var rootRecordDesiredKeys: [CKRecord.FieldKey]?

    /// A block that is called for each share.
    open var perShareMetadataResultBlock: ((URL, Result<CKShare.Metadata, any Error>) -> Void)?
    /// The older block that is called for each share.
    open var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
    /// A block that is called at the end; failures of single shares are not failures of the operation.
    open var fetchShareMetadataResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with ``CKError/Code/partialFailure`` if a share failed.
    open var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func perform() async throws {
        let urls = shareURLs ?? []
        let found = try await (container ?? .default()).shareMetadatas(
            for: urls, shouldFetchRootRecord: shouldFetchRootRecord, rootRecordDesiredKeys: rootRecordDesiredKeys)
        let results = urls.map { ($0, found[$0] ?? .failure(CKError(.internalError, "No result."))) }
        await call {
            var errors: [AnyHashable: any Error] = [:]
            _ = results.report(to: self.report, &errors)
            self.fetchShareMetadataResultBlock?(.success(()))
            self.fetchShareMetadataCompletionBlock?(CKError(partial: errors))
        }
    }

    private func report(_ url: URL, _ result: Result<CKShare.Metadata, any Error>) {
        switch result {
        case .success(let metadata): perShareMetadataBlock?(url, metadata, nil)
        case .failure(let error): perShareMetadataBlock?(url, nil, error)
        }
        perShareMetadataResultBlock?(url, result)
    }

    override func end(_ error: any Error) {
        fetchShareMetadataResultBlock?(.failure(error))
        fetchShareMetadataCompletionBlock?(error)
    }
}
