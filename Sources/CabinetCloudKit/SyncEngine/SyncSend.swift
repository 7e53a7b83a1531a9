import Cabinet
import Synchronization

/// One send of a sync engine.
struct SyncSend {
    let engine: CKSyncEngine
    let context: CKSyncEngine.SendChangesContext

    private var state: CKSyncEngine.State { engine.state }

    /// Errors after which the same change is sent again the next time.
    private static let retried: Set<CKError.Code> = [
        .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable, .requestRateLimited, .notAuthenticated,
        .operationCancelled, .accountTemporarilyUnavailable, .serverResponseLost, .batchRequestFailed,
    ]

    /// Sends zones, and then batches of records until the delegate has none.
    func run() async throws {
        await engine.report(.willSendChanges(.init(context: context)))
        var failures: [AnyHashable: any Error] = [:]
        do {
            try await sendZones(&failures)
            try await sendRecords(&failures)
        } catch {
            await end()
            throw error
        }
        await end()
        if let error = CKError(partial: failures) { throw error }
    }

    private func end() async {
        await engine.report(.didSendChanges(.init(context: context)))
        await engine.reportState()
    }

    private func sendZones(_ failures: inout [AnyHashable: any Error]) async throws {
        let changes = state.pendingDatabaseChanges.filter { context.options.scope.contains($0.zoneID) }
        guard !changes.isEmpty else { return }
        var (saves, deletes): ([CKRecordZone], [CKRecordZone.ID]) = ([], [])
        for change in changes {
            switch change {
            case .saveZone(let zone): saves.append(zone)
            case .deleteZone(let id): deletes.append(id)
            }
        }
        let results = try await engine.database.modifyRecordZones(saving: saves, deleting: deletes)
        var saved: [CKRecordZone] = []
        var failedSaves: [CKSyncEngine.Event.SentDatabaseChanges.FailedZoneSave] = []
        for zone in saves {
            switch results.saveResults[zone.zoneID] {
            case .failure(let error): failedSaves.append(.init(zone: zone, error: Self.error(error)))
            default: saved.append(zone)
            }
        }
        var failedDeletes: [CKRecordZone.ID: CKError] = [:]
        for id in deletes {
            // A zone that does not exist needs no deletion.
            if case .failure(let error)? = results.deleteResults[id], Self.error(error).code != .zoneNotFound {
                failedDeletes[id] = Self.error(error)
            }
        }
        let errors = Dictionary(failedSaves.map { ($0.zone.zoneID, $0.error) }, uniquingKeysWith: { $1 })
            .merging(failedDeletes, uniquingKeysWith: { $1 })
        for (id, error) in errors { failures[id] = error }
        let kept = errors.filter { Self.retried.contains($0.value.code) }
        state.remove(pendingDatabaseChanges: changes.filter { kept[$0.zoneID] == nil })
        let deleted = deletes.filter { failedDeletes[$0] == nil }
        state.change { content in content.zoneTokens.removeAll { deleted.map(\.value).contains($0.id) } }
        await engine.report(
            .sentDatabaseChanges(
                .init(
                    savedZones: saved, failedZoneSaves: failedSaves, deletedZoneIDs: deleted,
                    failedZoneDeletes: failedDeletes)))
        await engine.reportState()
    }

    private func sendRecords(_ failures: inout [AnyHashable: any Error]) async throws {
        while !state.pendingRecordZoneChanges.isEmpty || state.hasPendingUntrackedChanges {
            try Task.checkCancellation()
            guard
                var batch = await engine.configuration.delegate?.nextRecordZoneChangeBatch(context, syncEngine: engine)
            else { return }
            // Changes that have failed in this send, and are pending again, are sent the next time.
            let failed = failures
            batch.recordsToSave.removeAll { failed[$0.recordID] != nil }
            batch.recordIDsToDelete.removeAll { failed[$0] != nil }
            if batch.recordsToSave.isEmpty, batch.recordIDsToDelete.isEmpty { return }
            await prepareTokens(for: batch)
            let outcome = try await engine.database.modify(
                RecordChanges(
                    saves: batch.recordsToSave, deletes: batch.recordIDsToDelete, isAtomic: batch.atomicByZone))
            await report(outcome)
            failures.merge(outcome.failures, uniquingKeysWith: { $1 })
        }
    }

    /// Stores a token for each zone of a batch that was never fetched.
    ///
    /// A fetch without a token returns no deletions. A device that sends first would keep records that others delete in
    /// between.
    private func prepareTokens(for batch: CKSyncEngine.RecordZoneChangeBatch) async {
        let known = Set(state.value.zoneTokens.map(\.id))
        let ids = batch.recordsToSave.map(\.recordID) + batch.recordIDsToDelete
        for zoneID in Set(ids.map(\.value.zoneID)).subtracting(known) where zoneID != .default {
            // Without a token, the zone is fetched from its beginning. The send reports a zone that does not exist.
            let store = try? engine.database.store()
            let result = try? await store?.database.modifyRecords(saving: [], deleting: [], inZoneWith: zoneID)
            if let token = result?.changeToken { state.setToken(token, ofZone: zoneID) }
        }
    }

    private func report(_ outcome: ModifyOutcome) async {
        var saved: [CKRecord] = []
        var failedSaves: [CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave] = []
        var sent: [CKSyncEngine.PendingRecordZoneChange] = []
        for (record, result) in outcome.saves {
            switch result {
            case .success:
                saved.append(record)
                sent.append(.saveRecord(record.recordID))
            case .failure(let error):
                let error = Self.error(error)
                failedSaves.append(.init(record: record, error: error))
                if !Self.retried.contains(error.code) { sent.append(.saveRecord(record.recordID)) }
            }
        }
        var deleted: [CKRecord.ID] = []
        var failedDeletes: [CKRecord.ID: CKError] = [:]
        for (id, result) in outcome.deletes {
            switch result {
            case .success: deleted.append(id)
            case .failure(let error): failedDeletes[id] = Self.error(error)
            }
            if failedDeletes[id].map({ Self.retried.contains($0.code) }) != true { sent.append(.deleteRecord(id)) }
        }
        engine.rememberSent(saved)
        // Before the event, because the delegate may add them again.
        state.remove(pendingRecordZoneChanges: sent)
        await engine.report(
            .sentRecordZoneChanges(
                .init(
                    savedRecords: saved, failedRecordSaves: failedSaves, deletedRecordIDs: deleted,
                    failedRecordDeletes: failedDeletes)))
        await engine.reportState()
    }

    private static func error(_ error: any Error) -> CKError {
        error as? CKError ?? CKError(.internalError, "\(error)")
    }
}
