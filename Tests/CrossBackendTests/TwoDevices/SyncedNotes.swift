import Cabinet

// snippet: delegate
/// The notes of a device, which a sync engine keeps in step with a database.
actor SyncedNotes: SyncEngineDelegate {
    /// Everything that the device stores in its file.
    struct Content: Codable, Sendable {
        var texts: [RecordID: String] = [:]
        /// The last version of each record that the database has returned.
        var records: [RecordID: Record] = [:]
        /// The notes with an edit that the database does not have.
        var edited: Set<RecordID> = []
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
        content.edited.insert(id)
        engine.state.add(pendingRecordZoneChanges: [change(of: id)])
    }

    private func change(
        of id: RecordID
    ) -> SyncEngine.PendingRecordZoneChange {
        content.texts[id] == nil ? .deleteRecord(id) : .saveRecord(id)
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
            if changes.isFromBeginning { forgetAll(in: changes.zoneID) }
            for change in changes.modifications { keep(change.record) }
            for deletion in changes.deletions { forget(deletion.recordID) }
        case .fetchedDatabaseChanges(let changes):
            for deletion in changes.deletions {
                if deletion.reason == .purged {
                    dropEdits(in: deletion.zoneID, syncEngine)
                }
                forgetAll(in: deletion.zoneID)
            }
        case .sentRecordZoneChanges(let changes):
            for record in changes.savedRecords {
                finish(record.recordID, record, syncEngine)
            }
            for id in changes.deletedRecordIDs { finish(id, nil, syncEngine) }
            for (id, error) in changes.failedRecordDeletes
            where error.code == .zoneNotFound { finish(id, nil, syncEngine) }
            for failure in changes.failedRecordSaves {
                repair(failure, syncEngine)
            }
        case .accountChange(let change):
            if case .signIn = change.changeType { break }
            content = Content()
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
            // The engine repeats what passes, and the next engine the rest.
            return
        }
        engine.state.add(pendingRecordZoneChanges: [change(of: id)])
    }

    /// Keeps what was sent.
    ///
    /// The note may have been edited in the meantime.
    private func finish(
        _ id: RecordID, _ record: Record?, _ engine: SyncEngine
    ) {
        content.records[id] = record
        let sent = record?["text"] as? String
        if content.texts[id] != sent { return }
        content.edited.remove(id)
        engine.state.remove(pendingRecordZoneChanges: [change(of: id)])
    }

    /// Keeps what the database has, but no text over one that was edited.
    private func keep(_ record: Record) {
        let id = record.recordID
        content.records[id] = record
        if !content.edited.contains(id) { content.texts[id] = record["text"] }
    }

    private func forget(_ id: RecordID) {
        content.records[id] = nil
        if !content.edited.contains(id) { content.texts[id] = nil }
    }

    /// Forgets what the database has, all of which is fetched again.
    private func forgetAll(in zoneID: RecordZone.ID) {
        for id in content.records.keys where id.zoneID == zoneID { forget(id) }
    }

    /// Drops the edits of a zone that the user has purged.
    private func dropEdits(in zoneID: RecordZone.ID, _ engine: SyncEngine) {
        for id in content.edited where id.zoneID == zoneID {
            engine.state.remove(pendingRecordZoneChanges: [change(of: id)])
            content.edited.remove(id)
            content.texts[id] = nil
        }
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
        let engine = SyncEngine(
            SyncEngine.Configuration(
                database: database, stateSerialization: content.engine,
                delegate: self, automaticallySync: automatically))
        resume(engine)
        return engine
    }

    /// Makes exactly the edited notes pending.
    ///
    /// The program may have ended before it stored the state that belongs
    /// to its notes.
    func resume(_ engine: SyncEngine) {
        let pending = engine.state.pendingRecordZoneChanges
        engine.state.remove(
            pendingRecordZoneChanges: pending.filter {
                !content.edited.contains($0.recordID)
            })
        engine.state.add(
            pendingRecordZoneChanges: content.edited.map(change))
    }
    // end
}

extension SyncedNotes {
    /// Overwrites an edit, as the model's faulty delegate does.
    func overwrite(_ record: Record) {
        content.texts[record.recordID] = record["text"]
        content.edited.remove(record.recordID)
    }
}
