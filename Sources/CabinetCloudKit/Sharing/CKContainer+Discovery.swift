import Foundation

/// The address book, which Cabinet does not have: every request fails with ``CKError/Code/serverRejectedRequest``.
extension CKContainer {
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

    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverUserIdentity(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { throw CKError.unsupported("address book") }
    }

    /// Fails, because Cabinet has no address book.
    ///
    /// - Throws: ``CKError/Code/serverRejectedRequest``.
    public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
        throw CKError.unsupported("address book")
    }

    /// Fails, because Cabinet has no address book.
    ///
    /// - Throws: ``CKError/Code/serverRejectedRequest``.
    public func userIdentities(forEmailAddresses emails: [String]) async throws -> [String: CKUserIdentity] {
        throw CKError.unsupported("address book")
    }

    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverUserIdentities(
        forEmailAddresses emails: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        complete(result: completionHandler) { throw CKError.unsupported("address book") }
    }

    /// Fails, because Cabinet has no address book.
    ///
    /// - Throws: ``CKError/Code/serverRejectedRequest``.
    public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
        throw CKError.unsupported("address book")
    }

    /// Fails, because Cabinet has no address book.
    ///
    /// - Throws: ``CKError/Code/serverRejectedRequest``.
    public func userIdentities(forPhoneNumbers phoneNumbers: [String]) async throws -> [String: CKUserIdentity] {
        throw CKError.unsupported("address book")
    }

    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverUserIdentities(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        complete(result: completionHandler) { throw CKError.unsupported("address book") }
    }

    /// Fails, because Cabinet has no address book.
    ///
    /// - Throws: ``CKError/Code/serverRejectedRequest``.
    public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
        throw CKError.unsupported("address book")
    }

    /// Fails, because Cabinet has no address book.
    ///
    /// - Throws: ``CKError/Code/serverRejectedRequest``.
    public func userIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: CKUserIdentity] {
        throw CKError.unsupported("address book")
    }

    /// Passes an error to a closure, because Cabinet has no address book.
    @preconcurrency
    public func discoverUserIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
    ) {
        complete(result: completionHandler) { throw CKError.unsupported("address book") }
    }
}
