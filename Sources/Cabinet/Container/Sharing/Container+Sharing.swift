public import Foundation

extension Container {
    /// Fetches what the user may learn of a share before accepting it.
    ///
    /// - Parameters:
    ///   - url: The share's URL, as ``Share/url`` is, or a server's.
    ///   - shouldFetchRootRecord: Whether the metadata have the root record of a hierarchy.
    ///   - rootRecordDesiredKeys: The fields of the root record to fetch, or `nil` for all.
    /// - Returns: The share, and the part that the user has in it.
    /// - Throws: ``CabinetError/Code/permissionFailure`` if the user may not open the share, or no share has the URL;
    ///   ``CabinetError/Code/notAuthenticated`` without an account.
    public func shareMetadata(
        for url: URL, shouldFetchRootRecord: Bool = false, rootRecordDesiredKeys: [Record.FieldKey]? = nil
    ) async throws -> Share.Metadata {
        let request = FetchShareMetadataRequest(
            shortGUIDs: [url.lastPathComponent], shouldFetchRootRecord: shouldFetchRootRecord,
            rootRecordDesiredKeys: rootRecordDesiredKeys)
        var metadata = try await client.perform(request).results.onlyResult.get().metadata(in: containerIdentifier)
        metadata.shortGUID = url.lastPathComponent
        return metadata
    }

    /// Fetches what the user may learn of several shares.
    ///
    /// - Parameters:
    ///   - urls: The shares' URLs.
    ///   - shouldFetchRootRecord: Whether the metadata have the root records of hierarchies.
    ///   - rootRecordDesiredKeys: The fields of the root records to fetch, or `nil` for all.
    /// - Returns: The metadata or an error for each URL, as ``shareMetadata(for:shouldFetchRootRecord:rootRecordDesiredKeys:)`` has them.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/limitExceeded`` for too many, and the
    ///   errors of the service.
    public func shareMetadatas(
        for urls: [URL], shouldFetchRootRecord: Bool = false, rootRecordDesiredKeys: [Record.FieldKey]? = nil
    ) async throws -> [URL: Result<Share.Metadata, CabinetError>] {
        let request = FetchShareMetadataRequest(
            shortGUIDs: urls.map(\.lastPathComponent), shouldFetchRootRecord: shouldFetchRootRecord,
            rootRecordDesiredKeys: rootRecordDesiredKeys)
        let found = try await client.perform(request).metadata(in: containerIdentifier)
        let results = zip(urls, found).map { url, result in
            result.map { metadata in
                var metadata = metadata
                metadata.shortGUID = url.lastPathComponent
                return metadata
            }
        }
        return try Dictionary(results, of: urls)
    }

    /// Accepts a share, whose zone is then in ``sharedDatabase``.
    ///
    /// Accepting twice changes nothing.
    ///
    /// - Parameter metadata: The metadata of the share.
    /// - Returns: The share, with the user among its participants.
    /// - Throws: ``CabinetError/Code/permissionFailure`` if the user may not open the share,
    ///   ``CabinetError/Code/tooManyParticipants`` if a public share is full, ``CabinetError/Code/invalidArguments`` if the
    ///   metadata are of another container, and ``CabinetError/Code/notAuthenticated`` without an account.
    @discardableResult
    public func accept(_ metadata: Share.Metadata) async throws -> Share {
        try await results(accepting: [metadata]).onlyResult.get()
    }

    /// Accepts several shares, whose zones are then in ``sharedDatabase``.
    ///
    /// - Parameter metadatas: The metadata of the shares.
    /// - Returns: The share or an error for each of the metadata: ``CabinetError/Code/permissionFailure`` or
    ///   ``CabinetError/Code/tooManyParticipants``.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if some metadata are of another container, before any share is accepted;
    ///   ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/limitExceeded`` for too many, and the errors of
    ///   the service.
    public func accept(_ metadatas: [Share.Metadata]) async throws -> [Share.Metadata: Result<Share, CabinetError>] {
        let results = try await results(accepting: metadatas)
        return Dictionary(zip(metadatas, results), uniquingKeysWith: { first, _ in first })
    }

    /// Asks the owners of shares to let the user take part.
    ///
    /// A user that has asked before, or that may accept the share, changes nothing by asking.
    ///
    /// - Parameter urls: The shares' URLs.
    /// - Returns: Success, or an error for each URL: ``CabinetError/Code/permissionFailure`` if no share that may be asked for has the URL,
    ///   and ``CabinetError/Code/tooManyParticipants`` if too many users wait for an answer.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/limitExceeded`` for too many, and the
    ///   errors of the service.
    public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, CabinetError>] {
        let request = RequestShareAccessRequest(shortGUIDs: urls.map(\.lastPathComponent))
        return try Dictionary(try await client.perform(request).errors.results, of: urls)
    }

    private func results(accepting metadatas: [Share.Metadata]) async throws -> [Result<Share, CabinetError>] {
        let shortGUIDs = try metadatas.map { metadata in
            let shortGUID = metadata.shortGUID ?? metadata.share.url?.lastPathComponent
            guard metadata.containerIdentifier == containerIdentifier, let shortGUID else {
                throw CabinetError(
                    .invalidArguments,
                    "The metadata are of the container \(metadata.containerIdentifier), and this one is \(containerIdentifier)."
                )
            }
            return shortGUID
        }
        let response = try await client.perform(AcceptSharesRequest(shortGUIDs: shortGUIDs))
        try response.results.checkResultCount(metadatas.count)
        return response.results.map { result in
            result.flatMap { record in
                do throws(CabinetError) {
                    return .success(try Share(record))
                } catch {
                    return .failure(error)
                }
            }
        }
    }
}

extension Database {
    /// Saves a share, and returns it as the server has stored it, with its URL.
    ///
    /// A new share of a hierarchy is saved in one batch with its root instead, see ``Share/init(rootRecord:shareID:)``.
    ///
    /// - Parameter share: The share of a zone of the private database, or a stored one; in the shared database, one that the user
    ///   administers.
    /// - Returns: The share, with its owner, its change tag and its URL.
    /// - Throws: ``CabinetError/Code/serverRecordChanged`` if the zone has a share already, or another user has changed it;
    ///   ``CabinetError/Code/alreadyShared`` if a hierarchy in the zone is shared;
    ///   ``CabinetError/Code/tooManyParticipants``; ``CabinetError/Code/permissionFailure`` if the user may not change the
    ///   share; ``CabinetError/Code/badDatabase`` in the public database, and the errors of a record's save.
    @discardableResult
    public func save(_ share: Share) async throws -> Share {
        try Share(try await save(share.record))
    }

    /// Fetches the share of a zone.
    ///
    /// - Parameter zoneID: The zone.
    /// - Returns: The share.
    /// - Throws: ``CabinetError/Code/unknownItem`` if the zone is not shared, and ``CabinetError/Code/zoneNotFound`` if there is no
    ///   such zone.
    public func share(forZoneWith zoneID: RecordZone.ID) async throws -> Share {
        try Share(try await record(for: ShareRule.shareID(of: zoneID)))
    }
}
