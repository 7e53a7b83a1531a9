extension LocalDatabaseService {
    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse {
        if let own = ownerRule.canonical(request) {
            return try await modify(own, progress: progress).keyed(by: request, ownerRule)
        }
        let (database, user) = try accountRule.databaseToWrite(request.scope)
        try checkCount(request.count)
        let index = try BatchIndex(request)
        if index.ids.isEmpty, request.entries.isEmpty, !request.asksForPlace {
            return ModifyResponse(saveResults: [:], deleteResults: [:])
        }

        try await prepare(database)
        guard
            var uploads = AssetUploads(of: request, to: database, in: backend, progress: progress)
        else { return try await response(to: request, index, uploads: nil, database: database, user: user) }
        return try await BlockingExecutor.once {
            do {
                let response = try await self.response(
                    to: request, index, uploading: &uploads, database: database, user: user)
                await uploads.end()
                return response
            } catch {
                await uploads.end()
                throw error
            }
        }
    }

    /// Uploads the assets of records, and then saves and deletes the records.
    private func response(
        to request: ModifyRequest, _ index: BatchIndex, uploading uploads: inout AssetUploads, database: DatabaseKey,
        user: String
    ) async throws -> ModifyResponse {
        try await uploads.upload()
        while true {
            do {
                return try await response(to: request, index, uploads: uploads, database: database, user: user)
            } catch let missing as MissingAssets {
                // The last records with these assets were deleted since this client fetched them.
                try await uploads.upload(missing: missing.assets)
            }
        }
    }

    private func response(
        to request: ModifyRequest, _ index: BatchIndex, uploads: AssetUploads?, database: DatabaseKey, user: String
    ) async throws -> ModifyResponse {
        let saveRule = SaveRule(
            policy: request.savePolicy, database: database, user: user, now: now(),
            roles: accountRule.account?.roles ?? [])
        let planner = BatchPlanner(
            request: request, index: index, saveRule: saveRule, limits: limits, declared: strictSchema?.rule,
            uploads: uploads)
        let outcome = try await write(database) { [deviceID, subscriptionCache] transaction, meter in
            try await planner.run(
                in: transaction, meter: meter, deviceID: deviceID, subscriptionCache: subscriptionCache)
        }
        if needs(outcome.cleanup) { await cleanUp(outcome.cleanup, in: database) }
        let plan = outcome.plan
        var saved = PerRecord<StoredRecord>(index)
        for insertion in plan.insertions { saved[insertion.position] = insertion.record }
        for update in plan.updates {
            if let position = update.position { saved[position] = update.record }
        }
        let positions = saved.values.indices.filter { saved[$0]?.fields.hasAssets == true }
        let records = await addingFiles(to: positions.compactMap { saved[$0] }, in: database)
        for (position, record) in zip(positions, records) { saved[position] = record }
        var response = index.response { position in
            if let failure = plan.failures[index.ids[position]] { return .failure(failure) }
            if let record = saved[position] { return .success(Record(record)) }
            return .failure(Self.unanswered(index.ids[position]))
        } deleteResult: { position in
            plan.failures[index.ids[position]].map(Result.failure) ?? .success(())
        }
        if request.asksForPlace { response.place = outcome.place }
        return response
    }
}

extension ModifyResponse {
    /// Returns the same results under the IDs that a request names.
    fileprivate func keyed(by request: ModifyRequest, _ ownerRule: OwnerRule) -> ModifyResponse {
        func keyed<Success>(
            _ results: [RecordID: Result<Success, CabinetError>], by ids: [RecordID]
        ) -> [RecordID: Result<Success, CabinetError>] {
            let results = ids.map { id in
                (id, results[ownerRule.canonical(id)] ?? .failure(LocalDatabaseService.unanswered(id)))
            }
            return Dictionary(results, uniquingKeysWith: { first, _ in first })
        }
        var response = self
        response.saveResults = keyed(saveResults, by: request.recordsToSave.map(\.recordID))
        response.deleteResults = keyed(deleteResults, by: request.recordIDsToDelete)
        return response
    }
}
