import Cabinet
import Synchronization

/// Decides for each request whether a local copy or the remote container answers it.
///
/// A local copy is a private database of the local store, whichever database of the server it is a copy of.
struct MirrorRequestHandler: RequestHandler {
    let mirror: MirrorDatabaseService
    let caller: Caller

    /// Answers a request to a database.
    func answer<Request: DatabaseRequest>(_ request: Request) async throws -> Request.Response {
        guard let context = mirror.context(of: request.scope) else { return try await answerRemotely(request) }
        return try await answer(request, from: context)
    }

    /// Answers a request about records of a type, which the public database may not have locally.
    private func answer<Request: DatabaseRequest>(
        _ request: Request, about recordType: Record.RecordType, in zoneID: RecordZone.ID?
    ) async throws -> Request.Response {
        guard let context = mirror.context(of: request.scope), context.has(recordType, in: zoneID) else {
            return try await answerRemotely(request)
        }
        return try await answer(request, from: context)
    }

    /// Answers a request that is local for the private and the shared database alone.
    private func answerForUser<Request: DatabaseRequest>(_ request: Request) async throws -> Request.Response {
        request.scope == .public ? try await answerRemotely(request) : try await answer(request)
    }

    private func answer<Request: DatabaseRequest>(
        _ request: Request, from context: MirrorContext
    ) async throws -> Request.Response {
        var request = request
        request.scope = .private
        do {
            return try await mirror.answer(request, from: context, for: caller)
        } catch let error as CabinetError where error.code == .zoneNotFound && context.scope == .shared {
            var error = error
            error.message = MirrorContext.notShared
            throw error
        }
    }

    func answerRemotely<Request: ServiceRequest>(_ request: Request) async throws -> Request.Response {
        try await mirror.answerRemotely(request, for: caller)
    }
}

/// Records.
extension MirrorRequestHandler {
    func response(to request: FetchRecordsRequest) async throws -> FetchRecordsRequest.Response {
        guard let context = mirror.context(of: request.scope) else { return try await answerRemotely(request) }
        var response = try await answer(request, from: context)
        if request.isOfTransaction { return response }
        // The local copies of the shared and the public database do not have everything.
        var missing: [Int] = []
        for (position, id) in request.recordIDs.enumerated() {
            switch context.scope {
            case .private:
                // The share of a zone that is here.
                if ShareRule.isZoneWide(id), response.results[position].code == .unknownItem {
                    missing.append(position)
                }
            case .shared:
                if ShareRule.isZoneWide(id) { missing.append(position) }
                if context.isOwn(id.zoneID) { response.results[position] = .failure(context.notShared(id.zoneID, id)) }
            case .public: if response.results[position].code != nil { missing.append(position) }
            }
        }
        if context.scope == .public {
            let pending = try await context.store.pending(missing.map { request.recordIDs[$0] })
            missing.removeAll { pending[request.recordIDs[$0]] != nil }
        }
        if missing.isEmpty { return response }
        var rest = request
        rest.recordIDs = missing.map { request.recordIDs[$0] }
        for (position, result) in zip(missing, try await answerRemotely(rest).results) {
            // A zone that was not sent is not shared.
            if context.scope == .private, result.code == .zoneNotFound { continue }
            response.results[position] = result
        }
        return response
    }

    func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        guard let context = mirror.context(of: request.scope) else { return try await answerRemotely(request) }
        if request.isOfMigration { throw Self.noMigrations }
        switch context.scope {
        case .private:
            if request.hasShares { return try await response(toShares: request, context) }
            if mirror.remote.reportsNoDefaultZone,
                let record = request.recordsToSave.first(where: { $0.recordID.zoneID == .default && !$0.isOfStore })
            {
                throw Container.noDefaultZone(record.recordID)
            }
        case .shared:
            if try await isAboutShares(request, context) {
                defer { mirror.wakeFetch() }
                return try await answerRemotely(request)
            }
            let ids = request.recordsToSave.map(\.recordID) + request.recordIDsToDelete
            if let id = ids.first(where: { context.isOwn($0.zoneID) }) { throw context.notShared(id.zoneID, id) }
        case .public:
            if try await !isMirrored(request, context) {
                guard request.uploads.isEmpty else {
                    throw CabinetError(
                        .badDatabase,
                        "A mirror uploads assets of the record types that it mirrors. Save the others in the container that it mirrors."
                    )
                }
                defer { mirror.wakeFetch() }
                return try await context.keeping(request) { try await answerRemotely(request) }
            }
        }
        return try await answer(request, from: context)
    }

    /// Whether a request saves or deletes shares, such as that of a hierarchy, by whose deletion a participant leaves it.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the request deletes a share and changes something else.
    private func isAboutShares(_ request: ModifyRecordsRequest, _ context: MirrorContext) async throws -> Bool {
        if request.hasShares { return true }
        let known = try await context.store.known(request.recordIDsToDelete)
        let unknown = request.recordIDsToDelete.filter { !known.contains($0) }
        if unknown.isEmpty { return false }
        if known.isEmpty, request.recordsToSave.isEmpty { return true }
        // Only the server knows which of them are shares.
        for case .success(let record) in try await context.records(unknown, desiredKeys: [])
        where record.recordType == Share.recordType {
            throw CabinetError(
                .invalidArguments, "A share is left in a request of its own, because nothing else can follow it.",
                recordID: record.recordID)
        }
        return false
    }

    /// Whether the records of a request to the public database are mirrored.
    ///
    /// A record that was read from the server, because it is not here, is saved there.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if some are, and some are not.
    private func isMirrored(_ request: ModifyRecordsRequest, _ context: MirrorContext) async throws -> Bool {
        let ids = request.recordsToSave.map(\.recordID) + request.recordIDsToDelete
        let known = try await context.store.known(ids)
        let saves = request.recordsToSave.filter { record in
            context.has(record.recordType, in: record.recordID.zoneID)
                && (record.recordChangeTag == nil || known.contains(record.recordID))
        }
        let local = saves.count + request.recordIDsToDelete.filter(known.contains).count
        let count = request.recordsToSave.count + request.recordIDsToDelete.count
        guard local == 0 || local == count else {
            throw CabinetError(
                .invalidArguments,
                "The request changes records of the public database that are mirrored and others that are not. Send them in two requests."
            )
        }
        return local > 0 || count == 0
    }

    func response(to request: QueryRecordsRequest) async throws -> QueryRecordsRequest.Response {
        try await answer(request, about: request.query.recordType, in: request.zoneID)
    }

    func response(to request: AggregateRequest) async throws -> AggregateRequest.Response {
        try await answer(request, about: request.query.recordType, in: request.zoneID)
    }

    func response(to request: ExplainQueryRequest) async throws -> ExplainQueryRequest.Response {
        try await answer(request, about: request.query.recordType, in: request.zoneID)
    }

    func response(to request: ValidateQueryRequest) async throws -> ValidateQueryRequest.Response {
        try await answer(request, about: request.query.recordType, in: request.zoneID)
    }

    func response(to request: FetchLiveChangesRequest) async throws -> FetchLiveChangesRequest.Response {
        try await answer(request, about: request.recordType, in: request.zoneID)
    }
}

/// Schemas: those of the server's public database are the server's.
extension MirrorRequestHandler {
    func response(to request: FetchSchemaRequest) async throws -> FetchSchemaRequest.Response {
        try await answerForUser(request)
    }

    func response(to request: ModifySchemaRequest) async throws -> ModifySchemaRequest.Response {
        if request.scopes == [.private] { return try await answerLocally(request) }
        let isLocal = request.scopes.contains(.private)
        let response: ModifySchemaRequest.Response
        do {
            response = try await answerRemotely(request)
        } catch let error as CabinetError where error.isTransient && isLocal && !request.isComplete {
            // Offline, the copy has the indexes, too. The error says that the server lacks them, until the program repeats the request.
            _ = try await answerLocally(request)
            throw error
        }
        if isLocal { _ = try await answerLocally(request) }
        return response
    }

    func response(to request: ChangeSchemaRequest) async throws -> ChangeSchemaRequest.Response {
        if request.isOfMigration, request.scopes.contains(where: { mirror.context(of: $0) != nil }) {
            throw Self.noMigrations
        }
        guard request.scopes.contains(.private) else { return try await answerRemotely(request) }
        guard request.scopes.count > 1, request.change == .drop(losingAtMost: nil) else {
            // The copy refuses changes of records, before the server changes anything.
            return try await answerLocally(request)
        }
        var response = try await answerRemotely(request)
        // The server lacks what was not sent, and the copy what is not mirrored.
        let local = try await answerLocally(request)
        response.scopes += local.scopes.filter { !response.scopes.contains($0) }
        response.lossCount = max(response.lossCount, local.lossCount)
        return response
    }

    /// Has the copy of the private database answer.
    private func answerLocally<Request: ServiceRequest>(_ request: Request) async throws -> Request.Response {
        guard let context = mirror.context(of: .private) else { return try await answerRemotely(request) }
        return try await mirror.answer(request, from: context, for: caller)
    }

    /// Each device would change the records once more.
    private static let noMigrations = CabinetError(
        .badDatabase,
        "A mirror does not migrate. Migrate the container that it mirrors, once for all devices, which fetch the changed records."
    )

    func response(to request: FetchMigrationsRequest) async throws -> FetchMigrationsRequest.Response {
        try await answerRemotely(request)
    }
}

/// Zones and changes.
extension MirrorRequestHandler {
    private static let noKeys = CabinetError(
        .badDatabase,
        "A mirror does not store keys of encrypted values. Read and save encrypted values in the container that it mirrors."
    )

    func response(to request: FetchZonesRequest) async throws -> FetchZonesRequest.Response {
        // No answer would say that the user has no keys.
        if request.asksForKeys, mirror.context(of: request.scope) != nil { throw Self.noKeys }
        var response = try await answerForUser(request)
        guard request.scope == .shared, let context = mirror.context(of: .shared) else { return response }
        if let ids = request.zoneIDs {
            for (position, id) in ids.enumerated() {
                guard context.isOwn(id) || response.results[position].code == .zoneNotFound else { continue }
                response.results[position] = .failure(context.notShared(id))
            }
        } else {
            response.results.removeAll { (try? $0.get().zoneID) == .default }
        }
        return response
    }

    func response(to request: ModifyZonesRequest) async throws -> ModifyZonesRequest.Response {
        // The server refuses to create and to delete zones of other users, with the reason.
        guard request.scope == .private else { return try await answerRemotely(request) }
        if request.addsKeys { throw Self.noKeys }
        return try await answer(request)
    }

    func response(to request: FetchDatabaseChangesRequest) async throws -> FetchDatabaseChangesRequest.Response {
        var response = try await answerForUser(request)
        if request.scope == .shared { response.modifications.removeAll { $0.zoneID == .default } }
        return response
    }

    func response(to request: FetchZoneChangesRequest) async throws -> FetchZoneChangesRequest.Response {
        if let context = mirror.context(of: request.scope), context.scope == .shared, context.isOwn(request.zoneID) {
            throw context.notShared(request.zoneID)
        }
        return try await answerForUser(request)
    }
}

/// Subscriptions, which are local for what is local as a whole.
extension MirrorRequestHandler {
    func response(to request: FetchSubscriptionsRequest) async throws -> FetchSubscriptionsRequest.Response {
        try await answerForUser(request)
    }

    func response(to request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsRequest.Response {
        try await answerForUser(request)
    }

    func response(to request: FetchNotificationsRequest) async throws -> FetchNotificationsRequest.Response {
        try await answerForUser(request)
    }
}

/// Assets.
extension MirrorRequestHandler {
    func response(to request: FindAssetsRequest) async throws -> FindAssetsRequest.Response {
        try await answer(request)
    }

    func response(to request: BeginUploadRequest) async throws -> BeginUploadRequest.Response {
        if let context = mirror.context(of: request.scope) { return try await answer(request, from: context) }
        let response = try await answerRemotely(request)
        mirror.remoteUploads.withLock { _ = $0.insert(response.upload) }
        return response
    }

    func response(to request: FinishUploadRequest) async throws -> FinishUploadRequest.Response {
        for context in mirror.contexts {
            do {
                return try await context.answer(request, for: caller)
            } catch CabinetError.Code.unknownItem {
                continue
            }
        }
        return try await answerRemotely(request)
    }

    func response(to request: EndUploadsRequest) async throws -> EndUploadsRequest.Response {
        for context in mirror.contexts { _ = try await context.answer(request, for: caller) }
        // Without a network, a save of an asset would wait for the server, which does not know the others.
        let remote = mirror.remoteUploads.withLock { known in request.uploads.filter { known.remove($0) != nil } }
        if !remote.isEmpty { _ = try? await answerRemotely(EndUploadsRequest(remote)) }
        return EmptyResponse()
    }
}
