import Foundation

/// An operation that accepts invitations to shares, which Cabinet does not have: it fails with ``CKError/Code/serverRejectedRequest``.
// Unchecked, and safe as its base class is.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    /// The descriptions of the shares.
    open var shareMetadatas: [CKShare.Metadata]?

    /// A block that is not called, because there is no item.
    @preconcurrency open var perShareResultBlock: (@Sendable (CKShare.Metadata, Result<CKShare, any Error>) -> Void)?
    /// The older block that is not called, because there is no item.
    @preconcurrency open var perShareCompletionBlock: (@Sendable (CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
    /// A block that is called at the end, with the error.
    @preconcurrency open var acceptSharesResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with the error.
    @preconcurrency open var acceptSharesCompletionBlock: (@Sendable ((any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(shareMetadatas: [CKShare.Metadata]) {
        self.init()
        self.shareMetadatas = shareMetadatas
    }

    /// Creates an operation that has nothing to do yet.
    public override init() {
        super.init()
    }

    override func perform() async {
        await fail(CKError.unsupported("shares"))
    }

    override func fail(_ error: any Error) async {
        await call {
            self.acceptSharesResultBlock?(.failure(error))
            self.acceptSharesCompletionBlock?(error)
        }
    }
}
