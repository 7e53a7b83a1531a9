extension LocalDatabaseService {
    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse {
        let (database, user) = try accountRule.databaseToWrite(request.scope)
        try checkCount(request.recordIDs.count)
        try Self.checkRepetitions(request)
        if request.recordIDs.isEmpty { return ModifyResponse(saveResults: [:], deleteResults: [:]) }

        guard
            var uploads = AssetUploads(of: request, to: database, in: backend, progress: progress)
        else { return try await response(to: request, uploads: nil, database: database, user: user) }
        return try await BlockingExecutor.once {
            do {
                let response = try await self.response(to: request, uploading: &uploads, database: database, user: user)
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
        to request: ModifyRequest, uploading uploads: inout AssetUploads, database: DatabaseKey, user: String
    ) async throws -> ModifyResponse {
        try await uploads.upload()
        while true {
            do {
                return try await response(to: request, uploads: uploads, database: database, user: user)
            } catch let missing as MissingAssets {
                // Somebody removed their last records since they were fetched.
                try await uploads.upload(missing: missing.assets)
            }
        }
    }

    private func response(
        to request: ModifyRequest, uploads: AssetUploads?, database: DatabaseKey, user: String
    ) async throws -> ModifyResponse {
        let saveRule = SaveRule(policy: request.savePolicy, database: database, user: user, now: now())
        let plan = try await backend.write(database) { [limits, retention, deviceID] transaction in
            if request.needs(recordNamed: user) {
                try await UserRecordRule.ensure(user: user, now: saveRule.now, in: transaction)
            }
            var planner = BatchPlanner(
                request: request, saveRule: saveRule, limits: limits, transaction: transaction, uploads: uploads)
            var plan = try await planner.plan()
            var notifier = try await Notifier(
                in: transaction, deviceID: deviceID, date: saveRule.now, retention: retention)
            let before = try await notifier?.recordsBefore(plan) ?? [:]
            try await plan.apply(to: transaction, date: saveRule.now, retention: retention)
            try await notifier?.tell(plan, before: before)
            try await notifier?.finish()
            return plan
        }
        let saved = await addingFiles(to: plan.insertions + plan.updates, in: database)
        return request.response(saved: saved, failures: plan.failures)
    }

    private static func checkRepetitions(_ request: ModifyRequest) throws {
        var saved: Set<RecordID> = []
        for record in request.recordsToSave where !saved.insert(record.recordID).inserted {
            throw CabinetError(
                .invalidArguments, "The batch saves the record twice; it can be saved once.", recordID: record.recordID)
        }
        var deleted: Set<RecordID> = []
        for id in request.recordIDsToDelete {
            if saved.contains(id) {
                throw CabinetError(
                    .invalidArguments, "The batch saves and deletes the record; it can do one of them.", recordID: id)
            }
            if !deleted.insert(id).inserted {
                throw CabinetError(
                    .invalidArguments, "The batch deletes the record twice; it can be deleted once.", recordID: id)
            }
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

    fileprivate func response(saved records: [StoredRecord], failures: [RecordID: CabinetError]) -> ModifyResponse {
        var saved: [RecordID: StoredRecord] = [:]
        for record in records { saved[record.recordID] = record }
        var response = ModifyResponse(saveResults: [:], deleteResults: [:])
        for record in recordsToSave {
            let id = record.recordID
            response.saveResults[id] = failures[id].map(Result.failure) ?? saved[id].map { .success(Record($0)) }
        }
        for id in recordIDsToDelete {
            response.deleteResults[id] = failures[id].map(Result.failure) ?? .success(())
        }
        return response
    }
}

extension RecordFields {
    fileprivate func refers(to id: RecordID) -> Bool {
        values.contains { value in
            switch value {
            case .reference(let reference): reference.recordID == id
            case .list(.reference(let references)): references.contains { $0.recordID == id }
            default: false
            }
        }
    }
}
