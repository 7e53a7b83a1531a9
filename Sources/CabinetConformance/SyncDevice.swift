import Cabinet

/// A device with records of its own, which a sync engine keeps in step with a database.
actor SyncDevice: SyncEngineDelegate {
    /// The device's records, changed or not.
    private(set) var records: [RecordID: Record] = [:]
    /// The errors of the records that were not sent.
    private(set) var failures: [RecordID: CabinetError] = [:]
    /// The last state that the engine has reported.
    private(set) var state: SyncEngine.State.Serialization?
    private var log: [String] = []
    private var batchSizes: [Int] = []

    /// Creates an engine for the device.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - state: The state with which the engine continues.
    nonisolated func engine(_ database: Database, _ state: SyncEngine.State.Serialization? = nil) -> SyncEngine {
        SyncEngine(
            SyncEngine.Configuration(
                database: database, stateSerialization: state, delegate: self, automaticallySync: false))
    }

    /// Changes records on the device, for the next send.
    func save(_ records: [Record], _ engine: SyncEngine) {
        for record in records { self.records[record.recordID] = record }
        engine.state.add(pendingRecordZoneChanges: records.map { .saveRecord($0.recordID) })
    }

    /// Deletes records on the device, for the next send.
    func delete(_ ids: [RecordID], _ engine: SyncEngine) {
        for id in ids { records[id] = nil }
        engine.state.add(pendingRecordZoneChanges: ids.map { .deleteRecord($0) })
    }

    /// Sends the pending changes.
    ///
    /// - Returns: The names of saved records after `sent`, of deleted ones after `removed`, and those of others with
    ///   the codes of their errors.
    func send(_ engine: SyncEngine) async throws -> [String] {
        do {
            try await engine.sendChanges()
        } catch CabinetError.Code.partialFailure {
            // The log has each failure.
        }
        return takeLog()
    }

    /// Fetches what other devices have changed.
    ///
    /// - Returns: The names of saved records after a plus sign, of deleted ones after a minus sign, of zones in the same way
    ///   after `zone`, and of zones that are fetched from their beginning after `all of`.
    func fetch(_ engine: SyncEngine) async throws -> [String] {
        try await engine.fetchChanges()
        return takeLog()
    }

    /// The numbers of records in the batches that were sent since the last call.
    func takeBatchSizes() -> [Int] {
        defer { batchSizes = [] }
        return batchSizes
    }

    private func takeLog() -> [String] {
        defer { log = [] }
        return log.sorted()
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
        return await SyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { [records] in records[$0] }
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) {
        switch event {
        case .stateUpdate(let update): state = update.stateSerialization
        case .accountChange(let change):
            if case .switchAccounts(let previous, let current) = change.changeType {
                log.append("account \(previous.recordName) \(current.recordName)")
            }
        case .fetchedDatabaseChanges(let changes):
            log += changes.modifications.map { "zone +\($0.zoneID.zoneName)" }
            log += changes.deletions.map { "zone -\($0.zoneID.zoneName)" }
        case .fetchedRecordZoneChanges(let changes):
            if changes.isFromBeginning {
                let pending = Set(syncEngine.state.pendingRecordZoneChanges.map(\.recordID))
                records = records.filter { pending.contains($0.key) || $0.key.zoneID != changes.zoneID }
                log.append("all of \(changes.zoneID.zoneName)")
            }
            for change in changes.modifications { records[change.record.recordID] = change.record }
            for change in changes.deletions { records[change.recordID] = nil }
            log += changes.modifications.map { "+\($0.record.recordID.recordName)" }
            log += changes.deletions.map { "-\($0.recordID.recordName)" }
        case .sentDatabaseChanges(let changes):
            log += changes.savedZones.map { "sent zone \($0.zoneID.zoneName)" }
            log += changes.deletedZoneIDs.map { "removed zone \($0.zoneName)" }
            log += changes.failedZoneSaves.map { "zone \($0.zone.zoneID.zoneName): \($0.error.code)" }
        case .sentRecordZoneChanges(let changes): handle(changes)
        default: break
        }
    }

    private func handle(_ changes: SyncEngine.Event.SentRecordZoneChanges) {
        batchSizes.append(changes.savedRecords.count + changes.deletedRecordIDs.count)
        for record in changes.savedRecords {
            records[record.recordID] = record
            log.append("sent \(record.recordID.recordName)")
        }
        for failure in changes.failedRecordSaves {
            failures[failure.record.recordID] = failure.error
            log.append("\(failure.record.recordID.recordName): \(failure.error.code)")
        }
        log += changes.deletedRecordIDs.map { "removed \($0.recordName)" }
        log += changes.failedRecordDeletes.map { "\($0.recordName): \($1.code)" }
    }
}
