extension LocalDatabaseService {
    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse {
        let (database, user) = try accountRule.databaseToWrite(request.scope)
        try checkCount(request.recordIDs.count)
        try Self.checkRepetitions(request)
        if request.recordIDs.isEmpty { return ModifyResponse(saveResults: [:], deleteResults: [:]) }

        let saveRule = SaveRule(policy: request.savePolicy, database: database, user: user, now: now())
        return try await backend.write(database) { [limits, retention, deviceID] transaction in
            if request.needs(recordNamed: user) {
                try await UserRecordRule.ensure(user: user, now: saveRule.now, in: transaction)
            }
            var planner = BatchPlanner(request: request, saveRule: saveRule, limits: limits, transaction: transaction)
            var plan = try await planner.plan()
            var notifier = try await Notifier(
                in: transaction, deviceID: deviceID, date: saveRule.now, retention: retention)
            let before = try await notifier?.recordsBefore(plan) ?? [:]
            try await plan.apply(to: transaction, date: saveRule.now, retention: retention)
            try await notifier?.tell(plan, before: before)
            try await notifier?.finish()
            return request.response(to: plan)
        }
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

    fileprivate func response(to plan: BatchPlan) -> ModifyResponse {
        var saved: [RecordID: StoredRecord] = [:]
        for record in plan.insertions + plan.updates { saved[record.recordID] = record }
        var response = ModifyResponse(saveResults: [:], deleteResults: [:])
        for record in recordsToSave {
            let id = record.recordID
            response.saveResults[id] = plan.failures[id].map(Result.failure) ?? saved[id].map { .success(Record($0)) }
        }
        for id in recordIDsToDelete {
            response.deleteResults[id] = plan.failures[id].map(Result.failure) ?? .success(())
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
