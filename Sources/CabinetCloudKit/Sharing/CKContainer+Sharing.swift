import Cabinet
public import Foundation

extension CKContainer {
    private func opened() throws -> Container { try registry.open(identifier).container }

    /// Fetches the description of a share.
    ///
    /// - Throws: ``CKError/Code/permissionFailure`` if the user may not open the share, or no share has the URL.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        try await CKError.translate { CKShareMetadata(try await opened().shareMetadata(for: url)) }
    }

    /// Fetches the descriptions of several shares.
    ///
    /// - Returns: A description or an error for each URL.
    public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        try await shareMetadatas(for: urls, shouldFetchRootRecord: false, rootRecordDesiredKeys: nil)
    }

    /// Fetches the descriptions of several shares, with the root records of hierarchies.
    func shareMetadatas(
        for urls: [URL], shouldFetchRootRecord: Bool, rootRecordDesiredKeys: [CKRecord.FieldKey]?
    ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        try await CKError.translate {
            try await opened().shareMetadatas(
                for: urls, shouldFetchRootRecord: shouldFetchRootRecord, rootRecordDesiredKeys: rootRecordDesiredKeys
            ).mapValues { $0.translated { CKShareMetadata($0) } }
        }
    }

    /// Asks the owners of shares to let the user take part.
    ///
    /// - Returns: Success or an error for each URL: ``CKError/Code/permissionFailure`` if no share that may be asked for has it.
    public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, any Error>] {
        try await CKError.translate {
            try await opened().requestShareAccess(for: urls).mapValues { $0.translated { $0 } }
        }
    }

    /// Accepts a share, whose zone is then in the shared database.
    ///
    /// - Throws: ``CKError/Code/permissionFailure`` if the user may not open the share, and
    ///   ``CKError/Code/tooManyParticipants`` if a public share is full.
    @discardableResult
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        try await CKError.translate {
            CKShare(try await opened().accept(metadata.value).record, of: metadata.value.participant.userRecordName)
        }
    }

    /// Accepts several shares of this container.
    ///
    /// - Returns: The share or an error for each description.
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        try await CKError.translate {
            let results = try await opened().accept(metadatas.map(\.value))
            let pairs = results.map { metadata, result in
                (
                    CKShareMetadata(metadata),
                    result.translated { CKShare($0.record, of: metadata.participant.userRecordName) }
                )
            }
            return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        }
    }
}
