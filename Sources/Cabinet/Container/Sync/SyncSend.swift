/// One send of a sync engine.
struct SyncSend {
    let engine: SyncEngine
    let context: SyncEngine.SendChangesContext

    private var state: SyncEngine.State { engine.state }

    private var ownerRule: OwnerRule { OwnerRule(user: engine.database.client.userRecordName) }

    /// Whether the same change is sent again the next time, because the error passes, or is that of another record.
    private static func isRetried(_ error: CabinetError) -> Bool {
        RetryRule.isTemporary(error.code) || error.code == .batchRequestFailed
    }

    /// The items that have failed.
    private struct Failures {
        var records: [RecordID: CabinetError] = [:]
        var zones: [RecordZone.ID: CabinetError] = [:]

        var error: CabinetError? {
            guard !records.isEmpty || !zones.isEmpty else { return nil }
            let zoneNames = zones.keys.map { "'\($0)'" }.sorted().joined(separator: ", ")
            let zoneText = zones.isEmpty ? "" : " These zones failed too: \(zoneNames)."
            return CabinetError(
                .partialFailure,
                "\(records.count.counted("record was", "records were")) not sent. The delegate has received their errors.\(zoneText)",
                retryAfterSeconds: zones.values.compactMap(\.retryAfterSeconds).max(), partialErrorsByItemID: records)
        }
    }

    /// Sends zones, and then batches of records, until nothing is pending or the delegate has no more batches.
    ///
    /// Zones that the delegate adds after a batch are sent before the next one.
    func run() async throws {
        await engine.report(.willSendChanges(.init(context: context)))
        var failures = Failures()
        do {
            repeat {
                try Task.checkCancellation()
                state.removeReplaced(by: ownerRule)
                try await sendZones(&failures)
            } while try await sendBatch(&failures)
        } catch {
            await end()
            throw error
        }
        await end()
        if let error = failures.error { throw error }
    }

    private func end() async {
        await engine.report(.didSendChanges(.init(context: context)))
        await engine.reportState()
    }

    private func sendZones(_ failures: inout Failures) async throws {
        let number = state.value.additionCount
        let changes = state.pendingDatabaseChanges.filter {
            context.options.scope.contains($0.zoneID) && failures.zones[$0.zoneID] == nil
        }
        guard !changes.isEmpty else { return }
        var (saves, deletes): ([RecordZone], [RecordZone.ID]) = ([], [])
        for change in changes {
            switch change {
            case .saveZone(let zone): saves.append(zone)
            case .deleteZone(let id): deletes.append(id)
            }
        }
        let results = try await engine.database.modifyRecordZones(saving: saves, deleting: deletes)
        var saved: [RecordZone] = []
        var failedSaves: [SyncEngine.Event.SentDatabaseChanges.FailedZoneSave] = []
        for zone in saves {
            switch results.saveResults[zone.zoneID] {
            case .failure(let error): failedSaves.append(.init(zone: zone, error: error))
            default: saved.append(zone)
            }
        }
        var failedDeletes: [RecordZone.ID: CabinetError] = [:]
        for id in deletes {
            // A zone that does not exist needs no deletion.
            if case .failure(let error)? = results.deleteResults[id], error.code != .zoneNotFound {
                failedDeletes[id] = error
            }
        }
        let errors = Dictionary(failedSaves.map { ($0.zone.zoneID, $0.error) }, uniquingKeysWith: { $1 })
            .merging(failedDeletes, uniquingKeysWith: { $1 })
        failures.zones.merge(errors, uniquingKeysWith: { $1 })
        let deleted = deletes.filter { failedDeletes[$0] == nil }
        let finished = changes.filter { change in
            errors[change.zoneID].map { !Self.isRetried($0) } ?? true
        }
        await engine.report(
            .sentDatabaseChanges(
                .init(
                    savedZones: saved, failedZoneSaves: failedSaves, deletedZoneIDs: deleted,
                    failedZoneDeletes: failedDeletes)),
            changing: { content in
                // Before the delegate handles the event, because it may add them again.
                content.remove(sent: finished, upTo: number)
                content.zoneTokens.removeAll { deleted.contains($0.id) }
            })
        await engine.reportState()
    }

    /// Sends the next batch of records.
    ///
    /// - Returns: Whether another one may follow.
    private func sendBatch(_ failures: inout Failures) async throws -> Bool {
        guard !state.pendingRecordZoneChanges.isEmpty || state.hasPendingUntrackedChanges else { return false }
        // The batch may not have the changes that the program adds from here on.
        let number = state.value.additionCount
        guard var batch = await engine.nextBatch(context) else { return false }
        // Changes that have failed in this send, and are pending again, are sent the next time.
        let failed = failures.records
        batch.recordsToSave.removeAll { failed[$0.recordID] != nil }
        batch.recordIDsToDelete.removeAll { failed[$0] != nil }
        if batch.recordsToSave.isEmpty, batch.recordIDsToDelete.isEmpty { return false }
        await prepareTokens(for: batch.recordsToSave.map(\.recordID) + batch.recordIDsToDelete)
        let results = try await engine.database.itemResults(
            saving: batch.recordsToSave, deleting: batch.recordIDsToDelete, atomically: batch.atomicByZone)
        var saved: [Record] = []
        var failedSaves: [SyncEngine.Event.SentRecordZoneChanges.FailedRecordSave] = []
        var finished: [SyncEngine.PendingRecordZoneChange] = []
        for record in batch.recordsToSave {
            switch results.saveResults[record.recordID] {
            case .success(let result)?:
                // Its ID may be another one than the sent record's, whose zone can have the user's own name as owner.
                saved.append(result)
                finished.append(.saveRecord(record.recordID))
            case .failure(let error)?:
                failedSaves.append(.init(record: record, error: error))
                failures.records[record.recordID] = error
                if !Self.isRetried(error) { finished.append(.saveRecord(record.recordID)) }
            case nil: break
            }
        }
        var deleted: [RecordID] = []
        var failedDeletes: [RecordID: CabinetError] = [:]
        for id in batch.recordIDsToDelete {
            if case .failure(let error)? = results.deleteResults[id] {
                failedDeletes[id] = error
                failures.records[id] = error
                if !Self.isRetried(error) { finished.append(.deleteRecord(id)) }
            } else {
                deleted.append(id)
                finished.append(.deleteRecord(id))
            }
        }
        // Another device may have created the zone since the tokens were prepared.
        await prepareTokens(for: saved.map(\.recordID))
        engine.rememberSent(saved)
        await engine.report(
            .sentRecordZoneChanges(
                .init(
                    savedRecords: saved, failedRecordSaves: failedSaves, deletedRecordIDs: deleted,
                    failedRecordDeletes: failedDeletes)),
            changing: { [finished] content in
                // Before the delegate handles the event, because it may add them again.
                content.remove(sent: finished, upTo: number)
            })
        await engine.reportState()
        return true
    }

    /// Stores a token for each zone of some records that exists and was never fetched.
    ///
    /// The token of a zone that was deleted is kept: it expires when the zone is created again.
    /// A fetch without a token returns no deletions. A device that sends first would keep records that others delete in
    /// between.
    private func prepareTokens(for ids: [RecordID]) async {
        let known = Set(state.value.zoneTokens.map(\.id))
        let rule = ownerRule
        for zoneID in Set(ids.map { rule.canonical($0.zoneID) }).subtracting(known) {
            // Without a token, the zone is fetched from its beginning. One of a zone that does not exist yet would expire when the
            // zone is created. The send reports that zone.
            guard (try? await engine.database.recordZone(for: zoneID)) != nil,
                let result = try? await engine.database.modifyRecords(saving: [], deleting: [], inZoneWith: zoneID)
            else { continue }
            state.change { $0.setToken(result.changeToken, ofZone: zoneID) }
        }
    }
}
