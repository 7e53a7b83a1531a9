public import Foundation

/// Sharing, which Cabinet does not have: every request fails with ``CKError/Code/serverRejectedRequest``.
extension CKContainer {
    /// Fails, because Cabinet has no shares.
    public func shareParticipant(forEmailAddress emailAddress: String) async throws -> CKShare.Participant {
        throw CKError.unsupported("shares")
    }

    /// Fails, because Cabinet has no shares.
    public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> CKShare.Participant {
        throw CKError.unsupported("shares")
    }

    /// Fails, because Cabinet has no shares.
    public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKShare.Participant {
        throw CKError.unsupported("shares")
    }

    /// Fails, because Cabinet has no shares.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        throw CKError.unsupported("shares")
    }

    /// Fails, because Cabinet has no shares.
    public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        throw CKError.unsupported("shares")
    }

    /// Fails, because Cabinet has no shares.
    @discardableResult
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        throw CKError.unsupported("shares")
    }

    /// Fails, because Cabinet has no shares.
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        throw CKError.unsupported("shares")
    }

    /// Passes an error to a closure, because Cabinet has no shares.
    @preconcurrency
    public func fetchShareParticipant(
        withEmailAddress emailAddress: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("shares") }
    }

    /// Passes an error to a closure, because Cabinet has no shares.
    @preconcurrency
    public func fetchShareMetadata(
        with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("shares") }
    }

    /// Passes an error to a closure, because Cabinet has no shares.
    @preconcurrency
    public func accept(
        _ metadata: CKShare.Metadata, completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("shares") }
    }

    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverUserIdentity(
        withEmailAddress email: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("address book") }
    }

    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("address book") }
    }

    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverAllIdentities(
        completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("address book") }
    }
}
