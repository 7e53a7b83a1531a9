import Cabinet

/// Shares and users, which are the server's.
extension MirrorRequestHandler {
    func response(to request: FetchShareMetadataRequest) async throws -> FetchShareMetadataRequest.Response {
        try await answerRemotely(request)
    }

    func response(to request: AcceptSharesRequest) async throws -> AcceptSharesRequest.Response {
        defer { mirror.wakeFetch() }
        return try await answerRemotely(request)
    }

    func response(to request: RequestShareAccessRequest) async throws -> RequestShareAccessRequest.Response {
        try await answerRemotely(request)
    }

    func response(to request: FindUsersRequest) async throws -> FindUsersRequest.Response {
        try await answerRemotely(request)
    }

    /// Saves or deletes shares of the user's own zones on the server.
    ///
    /// The server must have a zone that is shared, and so a zone that was created here is sent before.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/badDatabase`` if the request changes something else, such as the root record of a hierarchy,
    ///   and ``/Cabinet/CabinetError/Code/zoneNotFound`` for a zone that is not here.
    func response(
        toShares request: ModifyRecordsRequest, _ context: MirrorContext
    ) async throws -> ModifyRecordsRequest.Response {
        let request = request.canonical(for: caller.account?.userRecordName)
        let ids = request.recordsToSave.map(\.recordID) + request.recordIDsToDelete
        guard !request.isOfTransaction, !request.hasEntries, ids.allSatisfy(ShareRule.isZoneWide) else {
            throw CabinetError(
                .badDatabase,
                "A server manages shares. A mirror passes on the shares of whole zones, in requests of their own. Save and delete others in the container that the mirror mirrors."
            )
        }
        let zoneIDs = Set(ids.map(\.zoneID))
        var zones = FetchZonesRequest(in: .private)
        zones.zoneIDs = Array(zoneIDs)
        for result in try await answer(zones).results { _ = try result.get() }
        func unsent() async throws -> MirrorZone? {
            try await context.store.zones().first { $0.change != nil && zoneIDs.contains($0.zoneID) }
        }
        if try await unsent() != nil {
            try await context.send()
            if let zone = try await unsent(), let error = zone.error { throw error }
        }
        defer { mirror.wakeFetch() }
        return try await answerRemotely(request)
    }
}
