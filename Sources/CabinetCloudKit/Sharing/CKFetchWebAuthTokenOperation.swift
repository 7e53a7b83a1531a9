import Foundation

/// An operation that fetches a token for Web Services, which Cabinet does not have: it fails with ``CKError/Code/serverRejectedRequest``.
// Unchecked, and safe as its base class is.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The token of the program.
    open var apiToken: String?

    /// A block that is called at the end, with the error.
    open var fetchWebAuthTokenResultBlock: ((Result<String, any Error>) -> Void)?
    /// The older block that is called at the end, with the error.
    open var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(apiToken: String) {
        self.init()
        self.apiToken = apiToken
    }

    override func perform() async throws { throw CKError.unsupported("web tokens") }

    override func end(_ error: any Error) {
        fetchWebAuthTokenResultBlock?(.failure(error))
        fetchWebAuthTokenCompletionBlock?(nil, error)
    }
}
