import Cabinet

// snippet: delegate
/// The notes of a device, which a sync engine keeps in step with a database.
actor SyncedNotes: SyncEngineDelegate {
    /// Everything that the device stores in its file.
    struct Content: Codable, Sendable {
        var texts: [RecordID: String] = [:]
        /// The last version of each record that the database has returned.
        var records: [RecordID: Record] = [:]
        var engine: SyncEngine.State.Serialization?
    }

    static let zone = RecordZone(zoneName: "Notes")
    private(set) var content: Content

    init(_ content: Content = Content()) {
        self.content = content
    }

    /// Edits a note; `nil` deletes it.
    func edit(_ name: String, _ text: String?, _ engine: SyncEngine) {
        let id = RecordID(recordName: name, zoneID: Self.zone.zoneID)
        content.texts[id] = text
        engine.state.add(pendingRecordZoneChanges: [
            text == nil ? .deleteRecord(id) : .saveRecord(id)
        ])
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges
            .filter(context.options.scope.contains)
        return await SyncEngine.RecordZoneChangeBatch(
            pendingChanges: changes, recordProvider: record)
    }

    private func record(_ id: RecordID) -> Record? {
        guard let text = content.texts[id] else { return nil }
        var record =
            content.records[id] ?? Record(recordType: "Notes", recordID: id)
        record["text"] = text
        return record
    }
    // end

    // snippet: events
    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) {
        switch event {
        case .stateUpdate(let update):
            content.engine = update.stateSerialization
        case .fetchedRecordZoneChanges(let changes):
            if changes.isFromBeginning { forgetSaved(syncEngine) }
            for change in changes.modifications { keep(change.record) }
            for deletion in changes.deletions { forget(deletion.recordID) }
        case .fetchedDatabaseChanges(let changes):
            let deleted = Set(changes.deletions.map(\.zoneID))
            for id in content.texts.keys where deleted.contains(id.zoneID) {
                forget(id)
            }
        case .sentRecordZoneChanges(let changes):
            for record in changes.savedRecords {
                content.records[record.recordID] = record
            }
            for failure in changes.failedRecordSaves {
                repair(failure, syncEngine)
            }
        case .accountChange(let change):
            if case .signIn = change.changeType { break }
            content.texts = [:]
            content.records = [:]
        default: break
        }
    }

    private func repair(
        _ failure: SyncEngine.Event.SentRecordZoneChanges.FailedRecordSave,
        _ engine: SyncEngine
    ) {
        let id = failure.record.recordID
        switch failure.error.code {
        case .serverRecordChanged:
            // This device's text replaces the other one's.
            content.records[id] = failure.error.conflict?.serverRecord
        case .zoneNotFound:
            content.records[id] = nil
            engine.state.add(pendingDatabaseChanges: [.saveZone(Self.zone)])
        case .unknownItem:
            content.records[id] = nil
        default:
            // The engine repeats what passes; the rest is lost.
            return
        }
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    }

    /// Forgets what the database has, all of which is fetched again.
    private func forgetSaved(_ engine: SyncEngine) {
        let pending = engine.state.pendingRecordZoneChanges.map(\.recordID)
        for id in content.texts.keys where !pending.contains(id) { forget(id) }
    }

    private func keep(_ record: Record) {
        content.records[record.recordID] = record
        content.texts[record.recordID] = record["text"]
    }

    private func forget(_ id: RecordID) {
        content.records[id] = nil
        content.texts[id] = nil
    }
    // end
}

extension SyncedNotes {
    /// The texts by record name.
    var texts: [String: String] {
        Dictionary(content.texts.map { ($0.recordName, $1) }, uniquingKeysWith: { $1 })
    }

    // snippet: engine
    /// Creates an engine that continues where the stored one ended.
    func engine(_ database: Database, automatically: Bool) -> SyncEngine {
        SyncEngine(
            SyncEngine.Configuration(
                database: database, stateSerialization: content.engine,
                delegate: self, automaticallySync: automatically))
    }
    // end
}
