extension LocalDatabaseService {
    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse {
        let (database, user) = try accountRule.databaseToWrite(request.scope)
        try checkCount(request.count)
        let index = try BatchIndex(request)
        if index.ids.isEmpty { return ModifyResponse(saveResults: [:], deleteResults: [:]) }

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

    /// Saves and deletes records, after their assets were brought into the store.
    private func response(
        to request: ModifyRequest, _ index: BatchIndex, uploading uploads: inout AssetUploads, database: DatabaseKey,
        user: String
    ) async throws -> ModifyResponse {
        try await uploads.upload()
        while true {
            do {
                return try await response(to: request, index, uploads: uploads, database: database, user: user)
            } catch let missing as MissingAssets {
                // Somebody removed their last records since they were fetched.
                try await uploads.upload(missing: missing.assets)
            }
        }
    }

    private func response(
        to request: ModifyRequest, _ index: BatchIndex, uploads: AssetUploads?, database: DatabaseKey, user: String
    ) async throws -> ModifyResponse {
        let saveRule = SaveRule(policy: request.savePolicy, database: database, user: user, now: now())
        let plan = try await write(database) { [limits, retention, deviceID] transaction in
            if request.needs(recordNamed: user) {
                try await UserRecordRule.ensure(user: user, now: saveRule.now, in: transaction)
            }
            var planner = BatchPlanner(
                request: request, index: index, saveRule: saveRule, limits: limits, transaction: transaction,
                uploads: uploads)
            var plan = try await planner.plan()
            var notifier = try await Notifier(
                in: transaction, deviceID: deviceID, date: saveRule.now, retention: retention)
            let before = try await notifier?.recordsBefore(plan) ?? [:]
            try await plan.apply(to: transaction, date: saveRule.now, retention: retention)
            try await notifier?.tell(plan, before: before)
            try await notifier?.finish()
            return plan
        }
        let insertions = await addingFiles(to: plan.insertions, in: database)
        let updates = await addingFiles(to: plan.updates, in: database)
        var saved = BatchValues<StoredRecord>(index)
        for (position, record) in zip(plan.insertionPositions, insertions) { saved[position] = record }
        for (position, record) in zip(plan.updatePositions, updates) { saved[position] = record }
        return index.response { position in
            if let failure = plan.failures[index.ids[position]] { return .failure(failure) }
            if let record = saved[position] { return .success(Record(record)) }
            return .failure(
                CabinetError(.internalError, "The plan left the record out.", recordID: index.ids[position]))
        } deleteResult: { position in
            plan.failures[index.ids[position]].map(Result.failure) ?? .success(())
        }
    }
}

extension ModifyRequest {
    /// Whether the own record of a user must exist for the request: because it is one of the request's records, because one
    /// of them refers to it, or because others will find it named as a public record's creator.
    fileprivate func needs(recordNamed name: String) -> Bool {
        guard scope != .shared else { return false }
        if scope == .public, !recordsToSave.isEmpty { return true }
        let id = RecordID(recordName: name)
        return recordIDsToDelete.contains(id)
            || recordsToSave.contains { record in
                record.recordID == id || record.parent?.recordID == id || record.fields.refers(to: id)
            }
    }
}

extension RecordFields {
    fileprivate func refers(to id: RecordID) -> Bool {
        // In place: a copy of each value would cost more than the look at it.
        values.withUnsafeBufferPointer { values in
            for position in values.indices {
                if case .reference(let reference)? = values[position] {
                    if reference.recordID == id { return true }
                } else if case .list(.reference(let references))? = values[position] {
                    if references.contains(where: { $0.recordID == id }) { return true }
                }
            }
            return false
        }
    }
}
