public import Foundation

/// An operation that asks the owners of shares to let the user take part.
// Unchecked, and safe as its base class is.
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
    /// The URLs of the shares.
    open var shareURLs: [URL]?

    /// A block that is called for each share.
    open var perShareAccessRequestResultBlock: ((URL, Result<Void, any Error>) -> Void)?
    /// A block that is called at the end; failures of single shares are not failures of the operation.
    open var shareAccessRequestResultBlock: ((Result<Void, any Error>) -> Void)?

    /// Creates an operation.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func perform() async throws {
        let urls = shareURLs ?? []
        let found = try await (container ?? .default()).requestShareAccess(for: urls)
        await call {
            for url in urls {
                self.perShareAccessRequestResultBlock?(
                    url, found[url] ?? .failure(CKError(.internalError, "No result.")))
            }
            self.shareAccessRequestResultBlock?(.success(()))
        }
    }

    override func end(_ error: any Error) {
        shareAccessRequestResultBlock?(.failure(error))
    }
}
