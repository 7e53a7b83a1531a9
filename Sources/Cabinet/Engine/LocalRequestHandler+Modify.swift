extension LocalRequestHandler {
    func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        let request = ownerRule.canonical(request)
        let (database, user) = try accountRule.databaseToWrite(request.scope)
        try checkCount(request.count)
        try check(request.reads, in: request.scope)
        let index = try BatchIndex(request)
        try request.step?.validate()
        if index.ids.isEmpty, !request.isUndivided, !request.asksForPlace {
            return ModifyRecordsRequest.Response()
        }
        try await prepare(database)

        let planner = BatchPlanner(
            request: request, index: index,
            saveRule: SaveRule(
                policy: request.savePolicy, database: database, user: user, now: service.now(), roles: roles),
            limits: limits, declared: strictSchema?.rule,
            uploads: try await service.uploads.finishedAssets(request.uploads, of: caller, in: database))
        let batch = Batch(planner: planner, caller: caller, subscriptionCache: service.subscriptionCache)
        let outcome = try await write(database) { try await batch.run(in: $0, meter: $1) }
        if let conflict = outcome.conflict { throw conflict }
        if needs(outcome.cleanup) { await cleanUp(outcome.cleanup, in: database) }
        return try await response(to: request, index, outcome, in: database)
    }

    private func response(
        to request: ModifyRecordsRequest, _ index: BatchIndex, _ outcome: Batch.Outcome,
        in database: DatabaseKey
    ) async throws -> ModifyRecordsRequest.Response {
        var response = ModifyRecordsRequest.Response()
        if !outcome.missingAssets.isEmpty {
            response.missingAssets = Array(outcome.missingAssets)
            return response
        }
        let plan = outcome.plan
        var saved = [StoredRecord?](repeating: nil, count: request.recordsToSave.count)
        var hasAssets = false
        for insertion in plan.insertions {
            saved[insertion.position] = insertion.record
            hasAssets = hasAssets || insertion.record.fields.hasAssets
        }
        for update in plan.updates {
            guard let position = update.position else { continue }
            saved[position] = update.record
            hasAssets = hasAssets || update.record.fields.hasAssets
        }
        // The records are saved, whether or not their files can be created now.
        if hasAssets { saved = (try? await addingFiles(to: saved, in: database)) ?? saved }
        response.saveResults.reserveCapacity(saved.count)
        for position in saved.indices {
            let id = index.ids[position]
            response.saveResults.append(
                plan.failures[id].map(Result.failure) ?? saved[position].map { .success(Record($0)) }
                    ?? .failure(CabinetError(.internalError, "The batch left the record out.", recordID: id)))
        }
        response.deleteErrors = request.recordIDsToDelete.map { plan.failures[$0] }
        if request.asksForPlace { response.place = outcome.place }
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
