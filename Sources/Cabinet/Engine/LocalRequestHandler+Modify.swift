import Foundation

extension LocalRequestHandler {
    func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let request = ownerRule.canonical(request)
        let (database, user) = try databaseToWrite(request.scope)
        try checkCount(request.count)
        try check(request.reads, in: request.scope)
        let index = try BatchIndex(request)
        try request.step?.validate()
        if index.ids.isEmpty, !request.isUndivided, !request.asksForPosition {
            return ModifyRecordsRequest.Response()
        }
        try await prepare(database)

        let uploads: [StoredAsset: UUID]
        do {
            uploads = try await service.uploads.finishedAssets(request.uploads, of: caller, in: database)
        } catch {
            // The uploads of a request that was carried out may have ended.
            if let reply = try await reply(to: request, of: user, in: database) { return reply }
            throw error
        }
        var saveRule = SaveRule(
            policy: request.savePolicy, database: database, user: user, now: service.now(), roles: roles)
        let urls = try await shortGUIDs(for: request, in: database)
        saveRule.shareChange = .save(urls)
        let planner = BatchPlanner(
            request: request, index: index, saveRule: saveRule, limits: limits, declared: strictSchema?.rule,
            uploads: uploads)
        let batch = Batch(
            planner: planner, caller: caller, subscriptionCache: service.subscriptionCache,
            isPending: isPending(in: request.scope), schemaToRead: schemaToRead(addingTo: database))
        let outcome = try await write(database) { try await batch.run(in: $0, meter: $1) }
        await removeOneTimeURLs(urls.ofParticipants, after: outcome)
        if let reply = outcome.reply { return reply }
        if let conflict = outcome.conflict { throw conflict }
        if needs(outcome.cleanup) { await cleanUp(outcome.cleanup, in: database) }
        if !planner.keys.replies.isEmpty { await forgetReplies(after: outcome.cleanup, in: database) }
        var response = try await response(to: request, index, outcome, in: database)
        if !request.shortGUIDRecordIDs.isEmpty, outcome.missingAssets.isEmpty {
            response.shortGUIDs =
                await afterCommit {
                    try await shortGUIDs(request.shortGUIDRecordIDs, savedBy: outcome.plan, in: database)
                } ?? []
        }
        return response
    }

    private func response(
        to request: ModifyRecordsRequest, _ index: BatchIndex, _ outcome: Batch.Outcome,
        in database: DatabaseKey
    ) async throws -> ModifyRecordsRequest.Response {
        if !outcome.missingAssets.isEmpty {
            var response = ModifyRecordsRequest.Response()
            response.missingAssets = Array(outcome.missingAssets)
            return response
        }
        var saved = outcome.plan.savedRecords(request.recordsToSave.count)
        // The records are saved, whether or not their files can be created now.
        if saved.contains(where: { $0?.fields.hasAssets == true }) {
            saved = (try? await addingFiles(to: saved, in: database)) ?? saved
        }
        return outcome.plan.response(to: request, index, saved, at: outcome.position)
    }
}

extension BatchPlan {
    /// Returns the saved records by their positions in the request.
    func savedRecords(_ count: Int) -> [StoredRecord?] {
        var saved = [StoredRecord?](repeating: nil, count: count)
        for insertion in insertions { saved[insertion.position] = insertion.record }
        for update in updates {
            if let position = update.position { saved[position] = update.record }
        }
        return saved
    }

    /// Returns the response to the request that the plan carries out.
    ///
    /// - Parameter saved: The saved records by position, if they have files; `nil` for those of the plan.
    func response(
        to request: ModifyRecordsRequest, _ index: BatchIndex, _ saved: [StoredRecord?]? = nil,
        at position: FeedPosition
    ) -> ModifyRecordsRequest.Response {
        var response = ModifyRecordsRequest.Response()
        let saved = saved ?? savedRecords(request.recordsToSave.count)
        response.saveResults.reserveCapacity(saved.count)
        for position in saved.indices {
            let id = index.ids[position]
            response.saveResults.append(
                failures[id].map(Result.failure) ?? saved[position].map { .success(Record($0)) }
                    ?? .failure(CabinetError(.internalError, "The batch left the record out.", recordID: id)))
        }
        response.deleteErrors = request.recordIDsToDelete.map { failures[$0] }
        if request.asksForPosition { response.position = position }
        return response
    }
}

extension BatchIndex {
    /// Numbers the records of a request.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if an ID occurs twice.
    init(_ request: ModifyRecordsRequest) throws(CabinetError) {
        try self.init(saving: request.recordsToSave.lazy.map(\.recordID), deleting: request.recordIDsToDelete)
    }
}
