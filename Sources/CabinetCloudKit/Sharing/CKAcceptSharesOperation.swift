import Foundation

/// An operation that accepts shares, whose zones are then in the shared database.
// Unchecked, and safe as its base class is.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    /// The descriptions of the shares, all of one container.
    open var shareMetadatas: [CKShare.Metadata]?

    /// A block that is called for each share.
    open var perShareResultBlock: ((CKShare.Metadata, Result<CKShare, any Error>) -> Void)?
    /// The older block that is called for each share.
    open var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
    /// A block that is called at the end; failures of single shares are not failures of the operation.
    open var acceptSharesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with ``CKError/Code/partialFailure`` if a share failed.
    open var acceptSharesCompletionBlock: (((any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(shareMetadatas: [CKShare.Metadata]) {
        self.init()
        self.shareMetadatas = shareMetadatas
    }

    override func perform() async throws {
        let metadatas = shareMetadatas ?? []
        let found = try await (container ?? .default()).accept(metadatas)
        let results = metadatas.map { ($0, found[$0] ?? .failure(CKError(.internalError, "No result."))) }
        await call {
            var errors: [AnyHashable: any Error] = [:]
            _ = results.report(to: self.report, &errors)
            self.acceptSharesResultBlock?(.success(()))
            self.acceptSharesCompletionBlock?(CKError(partial: errors))
        }
    }

    private func report(_ metadata: CKShare.Metadata, _ result: Result<CKShare, any Error>) {
        switch result {
        case .success(let share): perShareCompletionBlock?(metadata, share, nil)
        case .failure(let error): perShareCompletionBlock?(metadata, nil, error)
        }
        perShareResultBlock?(metadata, result)
    }

    override func end(_ error: any Error) {
        acceptSharesResultBlock?(.failure(error))
        acceptSharesCompletionBlock?(error)
    }
}
