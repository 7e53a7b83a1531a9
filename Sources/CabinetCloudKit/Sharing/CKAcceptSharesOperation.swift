import Foundation

/// An operation that accepts invitations to shares, which Cabinet does not have: it fails with ``CKError/Code/serverRejectedRequest``.
// Unchecked, and safe as its base class is.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    /// The descriptions of the shares.
    open var shareMetadatas: [CKShare.Metadata]?

    /// A block that is not called, because there is no item.
    open var perShareResultBlock: ((CKShare.Metadata, Result<CKShare, any Error>) -> Void)?
    /// The older block that is not called, because there is no item.
    open var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
    /// A block that is called at the end, with the error.
    open var acceptSharesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with the error.
    open var acceptSharesCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(shareMetadatas: [CKShare.Metadata]) {
        self.init()
        self.shareMetadatas = shareMetadatas
    }

    override func perform() async throws { throw CKError.unsupported("shares") }

    override func end(_ error: any Error) {
        acceptSharesResultBlock?(.failure(error))
        acceptSharesCompletionBlock?(error)
    }
}
